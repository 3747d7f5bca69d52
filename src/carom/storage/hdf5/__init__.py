"""HDF5: read, write and pack the datasets of recordings."""
