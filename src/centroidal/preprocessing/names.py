"""What can be asked for by name before features are ranked; the list loads nothing."""

PREPROCESSING = {  # what each name stands for
    "log1p": "the logarithm of 1 + x, for counts and intensities",
    "snv": "standard normal variate: each row gets mean 0 and variance 1",
    "savgol": "Savitzky-Golay: the first derivative of each row, smoothed",
    "norm": "rows of unit length, so that distances compare directions (cosine)",
    "normalise": "rows of counts scaled to a total of 10,000 (library size); =N names another",
}
