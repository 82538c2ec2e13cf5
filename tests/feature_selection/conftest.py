"""Fixtures of the encoders."""

import pytest


@pytest.fixture
def one_thread():
    """PyTorch with one thread, as in `fit`; more are slow on arrays as small as these."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
