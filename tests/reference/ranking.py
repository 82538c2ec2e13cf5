"""Ranking by its definition: groups of scores that may all be the same number."""


def rank_features(scores, errors):
    """Columns by decreasing score; those whose intervals share a point by column."""
    left = sorted(range(len(scores)), key=lambda j: -scores[j])
    ranking = []
    while left:
        group = [left.pop(0)]
        while left and _share_a_point([*group, left[0]], scores, errors):
            group.append(left.pop(0))
        ranking += sorted(group)
    return ranking


def _share_a_point(group, scores, errors):
    lowest = max(scores[j] - errors[j] for j in group)
    return lowest <= min(scores[j] + errors[j] for j in group)
