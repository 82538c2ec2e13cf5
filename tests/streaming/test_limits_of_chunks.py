"""What packed chunks unpack to, without unpacking them."""

import bz2
import gzip
import zlib

import numpy as np
import pytest

from centroidal.streaming.limits import COMPRESSORS, number_of_texts, unpacked_size

numcodecs = pytest.importorskip("numcodecs")


def write(path, data):
    path.write_bytes(bytes(data))
    return path


def packed_by(compressor, data):
    return numcodecs.get_codec({"id": compressor}).encode(data)


@pytest.mark.parametrize("compressor", ["blosc", "lz4", "zstd"])
@pytest.mark.parametrize("size", [1, 255, 256, 300, 65_535, 65_791, 65_792, 1_000_000])
@pytest.mark.parametrize("is_random", [True, False])
def test_header_tells_the_size(compressor, size, is_random, tmp_path):
    data = np.random.default_rng(0).bytes(size) if is_random else bytes(size)
    path = write(tmp_path / "0", packed_by(compressor, data))
    assert unpacked_size(path, compressor, 10) == size


@pytest.mark.parametrize(("compressor", "pack"), [("gzip", gzip.compress), ("zlib", zlib.compress)])
def test_deflated_chunk_is_tried_out_up_to_the_limit(compressor, pack, tmp_path):
    path = write(tmp_path / "0", pack(bytes(10**6)))
    assert unpacked_size(path, compressor, 10**6) == 0
    assert unpacked_size(path, compressor, 10**6 - 1) == np.inf
    assert unpacked_size(path, compressor, 10**12) == 0


@pytest.mark.parametrize("compressor", ["gzip", "zstd"])
def test_second_frame_could_be_of_any_size(compressor, tmp_path):
    one = packed_by(compressor, bytes(1000))
    assert unpacked_size(write(tmp_path / "0", one), compressor, 100_000) in (0, 1000)
    assert unpacked_size(write(tmp_path / "1", one + one), compressor, 1000) == np.inf


def test_checksum_of_four_bytes_is_no_second_frame(tmp_path):
    path = write(tmp_path / "0", packed_by("zstd", bytes(1000)) + b"abcd")
    assert unpacked_size(path, "zstd", 10) == 1000


def test_frame_that_does_not_say_its_size_or_ends_early_has_any(tmp_path):
    frame = b"\x28\xb5\x2f\xfd\x00\x58" + b"\x01\x00\x00"  # no size, a window, one empty block
    assert unpacked_size(write(tmp_path / "0", frame), "zstd", 10) == np.inf
    whole = packed_by("zstd", np.random.default_rng(0).bytes(1000))
    assert unpacked_size(write(tmp_path / "1", whole[:9]), "zstd", 10) == np.inf


def test_what_is_no_frame_is_left_to_be_refused(tmp_path):
    path = write(tmp_path / "0", bz2.compress(b"abc"))
    assert unpacked_size(path, "zstd", 10) == 0


@pytest.mark.parametrize("compressor", [None, *COMPRESSORS])
def test_texts_are_counted(compressor, tmp_path):
    texts = bytes(numcodecs.VLenUTF8().encode(np.array(["a", "bc", ""], dtype=object)))
    packed = texts if compressor is None else packed_by(compressor, texts)
    assert number_of_texts(write(tmp_path / "0", packed), compressor) == 3
