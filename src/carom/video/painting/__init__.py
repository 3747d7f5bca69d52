"""Paint pictures: camera, canvas, kernels for pixels."""
