"""Who could a ball touch? Cells and neighbour lists, behind one interface."""
