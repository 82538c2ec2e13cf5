"""A decision graph by recursion: the first class against the last, and the loser leaves."""


def decide(classes, wins):
    """Winner of a sorted list of classes; `wins(a, b)` is whether a wins against b."""
    if len(classes) == 1:
        return classes[0]
    first, last = classes[0], classes[-1]
    return decide(classes[:-1] if wins(first, last) else classes[1:], wins)
