import gzip

import pytest

from centroidal.io import read_table
from centroidal.streaming import batches, limits
from centroidal.streaming.limits import check_unpacked_size, memory_limit, unpack_gzip


def test_limit_is_1_gib_or_200_times_the_file_unless_given():
    assert memory_limit(10) == 2**30
    assert memory_limit(2**30) == 200 * 2**30
    assert memory_limit(2**30, 17) == 17


def test_error_names_the_file_and_both_sizes():
    check_unpacked_size("a.npz", 2**30, 50)
    with pytest.raises(
        ValueError, match=r"^a\.npz would take 1073741825 bytes .*=1073741824 .* 50"
    ):
        check_unpacked_size("a.npz", 2**30 + 1, 50)
    check_unpacked_size("a.npz", 2**30 + 1, 50, max_bytes=2**31)


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (2.5, TypeError), ("9", TypeError)])
def test_max_bytes_must_be_a_count(value, error):
    with pytest.raises(error, match=f"max_bytes={value!r}"):
        memory_limit(1, value)


def test_gzip_is_unpacked_up_to_the_limit():
    data = gzip.compress(b"a" * 1000) + gzip.compress(b"b")
    assert unpack_gzip(data, "t.gz") == b"a" * 1000 + b"b"
    with pytest.raises(ValueError, match=r"t\.gz would take 1001 bytes .* max_bytes=1000 "):
        unpack_gzip(data, "t.gz", 1000)


def test_line_that_does_not_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_ALWAYS_ALLOWED", 2**20)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1," + b"2" * 2**21))
    with pytest.raises(ValueError, match=r"^t\.csv\.gz: a line that does not end would take"):
        batches(tmp_path / "t.csv.gz", target="b")


def test_text_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_ALWAYS_ALLOWED", 2**20)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"\n" * 2**21))
    with pytest.raises(ValueError, match=r"^t\.csv\.gz would take \d+ bytes .* max_bytes=1048576 "):
        read_table(tmp_path / "t.csv.gz")
