"""Work on the blocks of a Dask collection that tells how far it is, and which block went wrong."""

import dask
from dask.callbacks import Callback

# What is asked of all blocks, such as the folds of many groups, may be larger than Dask likes.
_GRAPHS = {"distributed.admin.large-graph-warning-threshold": "1GB"}


def run_watched(total, parts, see):
    """Compute a delayed value and leave it where it is; return what stands for it.

    `see` is called with the place of each of the `parts` it is made of when that is done. An error
    names the block, as Dask does not, and whatever ends the waiting cancels the work.
    """
    mark = dask.delayed(_is_done)  # small, where a part may be large
    marks = [mark(part) for part in parts]
    places = {each.key: place for place, each in enumerate(marks)}
    client = _client(total)
    with dask.config.set(_GRAPHS):
        if client is None:
            return _run_here(total, marks, places, see)
        return _run_on_cluster(client, total, marks, places, see)


def _client(value):
    """Return the client of the cluster that would compute a value; None if there is none."""
    client = getattr(dask.base.get_scheduler(collections=[value]), "__self__", None)
    return client if hasattr(client, "cancel") else None


def _run_on_cluster(client, total, marks, places, see):
    from distributed import as_completed

    total, *marks = futures = client.compute([total, *marks])
    try:
        for mark in as_completed(marks):
            place = places[mark.key]
            with _NamedErrors(place):
                mark.result()
            see(place)
        if total.exception() is not None:
            total.result()
    except BaseException:
        client.cancel(futures)
        raise
    return total


def _run_here(total, marks, places, see):
    left = set(places.values())

    def tell(key, *_):
        if key in places:
            left.discard(places[key])
            see(places[key])

    try:
        with Callback(posttask=tell):
            return dask.persist(total, *marks)[0]
    except (ValueError, OSError):
        # Dask does not say which: those that are not done are tried again, one by one.
        for place in sorted(left):
            with _NamedErrors(place):
                dask.compute(marks[place])
        raise


class _NamedErrors:
    """Adds the number of the block to errors that come from it."""

    def __init__(self, place):
        self._place = place

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        name = f"Block {self._place} of X"
        if str(error).lower().startswith(name.lower()):
            return
        for base in (ValueError, OSError):
            if isinstance(error, base):
                raise base(f"{name}: {error}") from error


def _is_done(part):
    return True
