"""HDF5: reading, writing and packing what recordings are made of."""
