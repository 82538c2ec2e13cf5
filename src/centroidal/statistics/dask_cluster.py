"""A cluster of Dask: one that is running, or processes of this machine for as long as needed."""

import logging
from contextlib import ExitStack, contextmanager

from distributed import Client, LocalCluster

_PATIENCE = 10  # seconds for a scheduler to answer


@contextmanager
def open_cluster(address=None, n_workers=None):
    """Have collections computed by the scheduler at an address, or by workers that are started.

    Yields the address of the dashboard. Workers that were started are ended.
    """
    with ExitStack() as stack:
        if address is None:
            address = stack.enter_context(
                LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",  # nobody else can reach it
                    dashboard_address="127.0.0.1:0",  # any free port
                    silence_logs=logging.ERROR,
                )
            )
        yield stack.enter_context(_connect(address)).dashboard_link


def _connect(address):
    try:
        return Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(f"No Dask scheduler answers at {address}.") from error
