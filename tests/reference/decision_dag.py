"""A decision graph by recursion: the first class against the last, and the loser leaves."""


def decide_by_accuracy(classes, wins, accuracies):
    """The same, with the pair first that is told apart best; of equal ones the first pair."""
    if len(classes) == 1:
        return classes[0]
    left = [pair for pair in accuracies if set(pair) <= set(classes)]
    a, b = max(left, key=accuracies.get)
    loser = b if wins(a, b) else a
    return decide_by_accuracy([c for c in classes if c != loser], wins, accuracies)


def decide(classes, wins):
    """Winner of a sorted list of classes; `wins(a, b)` is whether a wins against b."""
    if len(classes) == 1:
        return classes[0]
    first, last = classes[0], classes[-1]
    return decide(classes[:-1] if wins(first, last) else classes[1:], wins)
