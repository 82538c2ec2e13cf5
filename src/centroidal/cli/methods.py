"""What the command line knows of the methods, without loading them."""

__all__ = ["DEFAULT_METHOD", "METHODS", "describe_methods", "streamed_methods", "threaded_methods"]

DEFAULT_METHOD = "l2"
METHODS = {
    "l2": "sparse centers by means",
    "l1": "sparse centers by medians",
    "disjoint": "features in which a class is steady",
    "fisher": "Fisher subspace",
    "l21": "a convex l2,1 problem",
    "relief": "ReliefF",
    "encoder": "a network",
    "best": "the best of all but the network",
}


def describe_methods():
    """Say what each method is, in one line."""
    return ", ".join(f"{words} ({key})" for key, words in METHODS.items())


def streamed_methods():
    """Return the methods that work in batches."""
    return "l2", "l1"


def threaded_methods():
    """Return the methods that work in threads, which start at once."""
    return "l2", "l1"
