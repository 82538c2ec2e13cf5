"""The features of the largest total gain that cost at most a budget: the 0/1 knapsack, exact.

The training problem of sparse centers adds up over features, so a budget in place of a number
makes it a knapsack. Gains and costs become whole numbers, so that sums of them do not depend on
their order. The bound of Dantzig, with one feature forced in or out, settles most features; the
rest is solved by dynamic programming over states that no other state beats in both cost and gain.

Of panels with the same gain the cheaper is taken, and of these the one without the last feature
that they do not share, in the order of gain for cost, equal ones by rank.
"""

import numpy as np

_BITS = 40  # of the largest gain, or of a budget: what is smaller is rounding
_MOST_DECIMALS = 6  # of costs that are taken as they are written


def whole_costs(costs, budget):
    """Return costs and a budget as whole numbers, exactly so if they have few decimals."""
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = np.append(costs, budget) * 10.0**decimals
        if (np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, scaled)).all():
            break
    else:
        scaled = np.append(costs, budget) * _scale(budget)
    # What is far above the budget is never bought, and must not overflow.
    whole = np.rint(np.minimum(scaled, 2.0**62)).astype(np.int64)
    return whole[:-1], int(whole[-1])


def affordable_in_order(order, costs, budget):
    """Walk down an order, and take whatever the rest of the budget can still pay."""
    prices, left = whole_costs(costs[order], budget)
    taken, cheapest = [], int(prices.min(initial=left + 1))
    for column, price in zip(order.tolist(), prices.tolist(), strict=True):
        if price <= left:
            taken.append(column)
            left -= price
        if left < cheapest:
            break
    return np.array(taken, dtype=int)


def best_within_budget(ranking, gains, costs, budget):
    """Return the features, of those in `ranking`, of the largest total gain for a budget.

    They come in the order of the ranking. There is at least one if any can be paid, even where no
    feature has a gain.
    """
    whole, budget = whole_costs(costs[ranking], budget)
    worth = _whole_gains(gains[ranking])
    payable = np.flatnonzero((whole <= budget) & (worth > 0))
    if not payable.size:
        return ranking[np.flatnonzero(whole <= budget)[:1]]
    rates = np.divide(
        worth[payable], whole[payable], out=np.full(payable.size, np.inf), where=whole[payable] > 0
    )
    order = payable[np.argsort(-rates, kind="stable")]
    return ranking[np.sort(order[_solve(worth[order], whole[order], budget)])]


def _whole_gains(gains):
    """Gains along a ranking as whole numbers, which never rise: what ties there ties here."""
    largest = gains.max(initial=0.0)
    if largest <= 0.0:
        return np.zeros(gains.size, dtype=np.int64)
    return np.minimum.accumulate(np.rint(gains * _scale(largest))).astype(np.int64)


def _scale(largest):
    """Return a power of two, so that sums of numbers with few digits that are equal stay so."""
    return np.ldexp(1.0, _BITS - int(np.frexp(max(largest, np.finfo(float).tiny))[1]))


def _solve(worth, costs, budget):
    """Positions of the best items, which come with the highest gain for their cost first."""
    spent = np.cumsum(costs)
    n_first = int(np.searchsorted(spent, budget, side="right"))
    if n_first == worth.size:
        return np.arange(n_first)
    left = budget - int(spent[n_first - 1] if n_first else 0)
    first = int(worth[:n_first].sum())
    rate = worth[n_first] / costs[n_first]
    # At least the first ones, and one more that still fits; at most a part of the next one.
    fits = costs[n_first:] <= left
    known = first + int(worth[n_first:][fits].max(initial=0))
    bound = first + left * rate
    losses = np.abs(worth - costs * rate)
    is_open = bound - losses >= known - 1.0 - 1e-9 * bound
    settled = np.flatnonzero(~is_open[:n_first])
    core = np.flatnonzero(is_open)
    left = budget - int(costs[settled].sum())
    known -= int(worth[settled].sum())
    return np.union1d(settled, core[_search(worth[core], costs[core], left, known)])


def _search(worth, costs, budget, known):
    """Do the same by dynamic programming; the best is worth at least `known`."""
    spent, won = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    rates = np.append(np.divide(worth, costs, out=np.full(worth.size, np.inf), where=costs > 0), 0)
    history = []
    for item in range(worth.size):
        fits = np.flatnonzero(spent + costs[item] <= budget)
        sources = np.concatenate([np.arange(spent.size), fits])
        takes = np.repeat([False, True], [spent.size, fits.size])
        spent = np.concatenate([spent, spent[fits] + costs[item]])
        won = np.concatenate([won, won[fits] + worth[item]])
        # By cost, then gain; of equal states the one without the item, which came first.
        order = np.lexsort([takes, -won, spent])
        before = np.maximum.accumulate(np.append(-1, won[order][:-1]))
        kept = order[won[order] > before]
        rate = rates[item + 1]
        reach = won[kept] + ((budget - spent[kept]) * rate if np.isfinite(rate) else np.inf)
        kept = kept[reach >= known - 1.0 - 1e-9 * known]
        history.append((sources[kept], takes[kept]))
        spent, won = spent[kept], won[kept]
    place, chosen = int(np.argmax(won)), []
    for item in range(worth.size - 1, -1, -1):
        sources, takes = history[item]
        if takes[place]:
            chosen.append(item)
        place = sources[place]
    return np.array(chosen[::-1], dtype=int)
