"""The margin score of a feature by its definition, one feature and one class after the other."""


def mean_of(values, weights):
    return sum(w * x for x, w in zip(values, weights, strict=True)) / sum(weights)


def variance_of(values, weights):
    center = mean_of(values, weights)
    return mean_of([(x - center) ** 2 for x in values], weights)


def margin_score(values, labels, weights=None):
    """One minus the smallest ratio of what a class pays at its mean to what the others pay."""
    weights = [1] * len(values) if weights is None else weights
    parts = {}
    for x, label, weight in zip(values, labels, weights, strict=True):
        own_values, own_weights = parts.setdefault(label, ([], []))
        own_values.append(x)
        own_weights.append(weight)
    means = {label: mean_of(*part) for label, part in parts.items()}
    variances = {label: variance_of(*part) for label, part in parts.items()}
    ratios = []
    for label in parts:
        others = [other for other in parts if other != label]
        paid = [variances[each] + (means[each] - means[label]) ** 2 for each in others]
        price = sum(paid) / len(others)
        if price > 0:
            ratios.append(variances[label] / price)
        elif variances[label] == 0:
            ratios.append(1)  # nobody pays anything
    return 1 - min(ratios)


def margin_scores(X, y, weights=None):
    """Scores of all features; exact if `X` holds fractions."""
    labels = list(y)
    return [margin_score(list(column), labels, weights) for column in zip(*X, strict=True)]
