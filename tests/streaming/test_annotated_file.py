"""Files that lead elsewhere, are packed in unknown ways, or take more memory than they may."""

import os
import re
import struct
import subprocess
import sys
import warnings
import zlib
from contextlib import contextmanager

import h5py
import numpy as np
import pytest

from centroidal.io import read_table
from centroidal.streaming import batches
from centroidal.streaming.annotated_file import longest_in_heaps

from .test_batches import sample, write_h5ad, write_zarr


def read_whole(path, **options):
    return read_table(path, target="kind", **options).X


def read_batches(path, **options):
    return np.concatenate([batch.X for batch in batches(path, target="kind", **options)])


both = pytest.mark.parametrize("read", [read_whole, read_batches])


@pytest.fixture
def path(tmp_path):
    return write_h5ad(tmp_path / "t.h5ad", *sample())


@contextmanager
def change(path, *gone):
    """Give a file to change, without some of its members."""
    with h5py.File(path, "r+") as file:
        for member in gone:
            del file[member]
        yield file


@both
def test_array_in_another_file_is_not_read(read, path, tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(sample()[0].tobytes())
    with change(path, "X") as file:
        file.create_dataset("X", (23, 5), "f8", external=[(str(secret), 0, secret.stat().st_size)])
    with pytest.raises(ValueError, match=r"^t\.h5ad: /X is stored in another file, which is not"):
        read(path)


@both
@pytest.mark.parametrize("member", ["X", "obs/kind", "var/_index", "obs"])
def test_links_to_other_files_are_not_followed(read, member, path, tmp_path):
    write_h5ad(tmp_path / "other.h5ad", *sample())
    with change(path, member) as file:
        file[member] = h5py.ExternalLink("other.h5ad", member)
    before = (tmp_path / "other.h5ad").stat().st_atime_ns
    with pytest.raises(ValueError, match=rf"t\.h5ad: /+{member} is a link to 'other.h5ad'"):
        read(path)
    assert (tmp_path / "other.h5ad").stat().st_atime_ns == before


@both
def test_links_inside_the_file_are_followed(read, path):
    expected = read(path)
    with change(path) as file:
        file.move("X", "hidden")
        file["between"] = h5py.SoftLink("/hidden")
        file["X"] = h5py.SoftLink("between")
    np.testing.assert_array_equal(read(path), expected)


@both
def test_links_in_a_circle_are_refused(read, path):
    with change(path, "obs/kind") as file:
        file["obs/kind"] = h5py.SoftLink("/obs/other")
        file["obs/other"] = h5py.SoftLink("kind")
    with pytest.raises(ValueError, match=r"t\.h5ad: .* is one of too many links"):
        read(path)


@both
def test_link_does_not_lead_out_by_a_link_in_its_path(read, path, tmp_path):
    write_h5ad(tmp_path / "other.h5ad", *sample())
    with change(path, "X") as file:
        file["door"] = h5py.ExternalLink("other.h5ad", "/")
        file["X"] = h5py.SoftLink("/door/X")
    with pytest.raises(ValueError, match=r"t\.h5ad: /+door is a link to 'other.h5ad'"):
        read(path)


def test_categories_by_reference_are_read_as_anndata_0_7_wrote_them(path):
    y = sample()[1]
    classes, codes = np.unique(y, return_inverse=True)
    with change(path, "obs/kind") as file:
        file["obs/__categories/kind"] = classes.astype(object)
        file["obs/kind"] = codes.astype(np.int8)
        file["obs/kind"].attrs["categories"] = file["obs/__categories/kind"].ref
    assert read_table(path, target="kind").y.tolist() == y.tolist()
    (batch,) = batches(path, target="kind")
    assert batch.y.tolist() == y.tolist()


@both
def test_virtual_arrays_are_not_read(read, path, tmp_path):
    write_h5ad(tmp_path / "other.h5ad", *sample())
    layout = h5py.VirtualLayout((23, 5), "f8")
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5ad"), "X", (23, 5))
    with change(path, "X") as file:
        file.create_virtual_dataset("X", layout)
    with pytest.raises(ValueError, match=r"t\.h5ad: /X is put together from other arrays"):
        read(path)


@both
def test_filters_that_do_not_come_with_h5py_are_not_loaded(read, path):
    with change(path, "X") as file:
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_chunk((23, 5))
        settings.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((23, 5))
        h5py.h5d.create(file.id, b"X", h5py.h5t.NATIVE_DOUBLE, space, settings)
    with pytest.raises(ValueError, match=r"t\.h5ad: /X is stored with filter 32015"):
        read(path)


@both
@pytest.mark.parametrize("options", [{"compression": "gzip"}, {"compression": "lzf"}])
def test_filters_of_h5py_are_known(read, options, path):
    expected = read(path)
    with change(path, "X") as file:
        file.create_dataset("X", data=expected, shuffle=True, fletcher32=True, **options)
    np.testing.assert_array_equal(read(path), expected)


@both
def test_lists_of_numbers_are_not_read_as_texts(read, path):
    with change(path) as file:
        table = file["obs"]
        del table.attrs["column-order"]
        lists = np.array([np.arange(3), None], dtype=object)[:1]
        table.attrs.create("column-order", lists, dtype=h5py.vlen_dtype(np.int64))
    with pytest.raises(ValueError, match=r"'column-order' of /obs holds neither numbers nor texts"):
        read(path)


@both
@pytest.mark.parametrize("size", [0, 2**64 - 16, 2**63, 5000])
def test_damaged_heap_of_texts_is_refused(read, size, path):
    data = bytearray(path.read_bytes())
    place = data.index(b"GCOL\x01") + 16  # the first text, of which this is the size
    data[place + 8 : place + 16] = size.to_bytes(8, "little")
    if size == 0:
        data[place : place + 2] = b"\0\0"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.h5ad could not be read .*: the text \d+ in the heap"):
        read(path)


@pytest.mark.parametrize("part", [16, 1000, 2**24])
def test_longest_text_of_a_file_is_found(tmp_path, part, monkeypatch):
    monkeypatch.setattr("centroidal.streaming.annotated_file._PART_BYTES", part)
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["a"] = ["x", "y" * 12_345]
    assert longest_in_heaps(tmp_path / "t.h5") == 12_345


def test_heaps_in_heaps_are_refused(tmp_path):
    """A file of them would take as long to look through as it has bytes, for each of its bytes."""
    heap = b"GCOL\x01\0\0\0" + (4096).to_bytes(8, "little")
    free = bytes(8) + (4096 - 16).to_bytes(8, "little")
    (tmp_path / "t.h5").write_bytes((heap + free) * 10 + bytes(4096))
    with pytest.raises(ValueError, match="its heaps of texts overlap"):
        longest_in_heaps(tmp_path / "t.h5")


# ------------------------------------------------------------------ memory


def write_empty(path, n_rows, n_columns, chunks):
    """Write a matrix that takes no room in the file."""
    with change(path, "X", "var/_index", "obs/_index", "obs/kind/codes") as file:
        file.create_dataset("X", (n_rows, n_columns), "f8", chunks=chunks, compression="gzip")
        file["var/_index"] = [f"g{j}" for j in range(n_columns)]
        file.create_dataset("obs/_index", (n_rows,), "S4", chunks=(2**16,), compression="gzip")
        file.create_dataset("obs/kind/codes", (n_rows,), "i1", chunks=(2**16,), compression="gzip")


def test_matrix_that_fills_the_memory_is_refused_before_it_is_read(path):
    write_empty(path, 2**21, 100, (2**10, 100))
    with pytest.raises(ValueError, match=r"^t\.h5ad would take 1677721600 bytes .*=1073741824 "):
        read_whole(path)
    rows = batches(path, target="kind")  # a few rows at a time are no harm
    assert rows.n_samples == 2**21
    assert next(iter(rows)).X.shape == (rows.batch_size, 100)


@both
def test_limit_can_be_raised_and_lowered(read, tmp_path):
    X, y = sample(23, 40)
    path = write_h5ad(tmp_path / "t.h5ad", X, y)
    np.testing.assert_array_equal(read(path, max_bytes=2 * X.nbytes), X)
    with pytest.raises(ValueError, match=rf"t\.h5ad.* would take .* max_bytes={X.nbytes - 1} "):
        read(path, max_bytes=X.nbytes - 1)


@both
def test_chunk_that_fills_the_memory_is_refused(read, path):
    write_empty(path, 2**19, 300, (2**19, 300))
    with pytest.raises(ValueError, match=r"t\.h5ad: a chunk of /X would take 1258291200 bytes"):
        read(path)


@both
@pytest.mark.parametrize("fletcher32", [False, True])
def test_chunk_that_unpacks_to_more_than_it_says_is_refused(read, fletcher32, path):
    with change(path, "X") as file:
        options = {"chunks": (23, 5), "compression": "gzip", "fletcher32": fletcher32}
        file.create_dataset("X", data=sample()[0], **options)
    assert read(path, max_bytes=20_000).shape == (23, 5)  # of which a chunk could take more
    with change(path) as file:
        file["X"].id.write_direct_chunk((0, 0), zlib.compress(bytes(2**20)))
    with pytest.raises(ValueError, match=r"t\.h5ad: /X unpacks to more than it says"):
        read(path, max_bytes=20_000)


@both
def test_array_that_is_packed_twice_is_refused(read, path):
    with change(path, "X") as file:
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_chunk((23, 5))
        for _ in range(2):
            settings.set_filter(h5py.h5z.FILTER_DEFLATE, 0, (9,))
        space = h5py.h5s.create_simple((23, 5))
        h5py.h5d.create(file.id, b"X", h5py.h5t.NATIVE_DOUBLE, space, settings)
    with pytest.raises(ValueError, match=r"t\.h5ad: /X is stored with filter 1"):
        read(path)


def test_sparse_rows_that_fill_the_memory_are_refused(tmp_path):
    path = write_h5ad(tmp_path / "t.h5ad", *sample(), "csr")
    n_stored = 2**27
    with change(path, "X/data", "X/indices", "X/indptr") as file:
        for name, kind in (("data", "f8"), ("indices", "i4")):
            options = {"chunks": (2**20,), "compression": "gzip"}
            file["X"].create_dataset(name, (n_stored,), kind, **options)
        file["X/indptr"] = np.linspace(0, n_stored, 24).astype(np.int64)
    with pytest.raises(ValueError, match=r"t\.h5ad would take 1610612928 bytes"):
        read_whole(path)
    with pytest.raises(ValueError, match=r"t\.h5ad: rows 1 \.\.\. 23 would take 1610612736 bytes"):
        read_batches(path, batch_size=23)


@both
def test_one_long_text_for_every_row_is_refused(read, path):
    """Rows that share a text in the file have a copy each in memory."""
    with change(path, "obs/_index") as file:
        index = file.create_dataset("obs/_index", (23,), h5py.string_dtype(), chunks=(23,))
        index[:1] = "x" * 2**20
        _, shared = index.id.read_direct_chunk((0,))
        index.id.write_direct_chunk((0,), shared[:16] * 23)
    with pytest.raises(ValueError, match=r"t\.h5ad: /obs/_index would take \d+ bytes"):
        read(path, max_bytes=10 * 2**20)


def test_sparse_matrix_with_more_names_than_memory_is_refused(tmp_path):
    parts = {"data": np.ones(2), "indices": np.zeros(2, int), "indptr": np.arange(3)}
    np.savez(tmp_path / "t.npz", **parts, shape=np.array([2, 2**25]), y=["a", "b"])
    with pytest.raises(ValueError, match=r"t\.npz: names of features would take 4697620480 bytes"):
        batches(tmp_path / "t.npz", target="y")


# ------------------------------------------------------------------ zarr


@pytest.mark.parametrize("member", ["X/0.0", "obs"])
def test_links_out_of_a_zarr_folder_are_not_followed(member, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample())
    outside = tmp_path / "outside"
    (path / member).rename(outside)
    os.symlink(outside, path / member)
    with pytest.raises(ValueError, match=rf"^t\.zarr: {member} is a link out of the folder"):
        batches(path, target="kind")


def test_links_inside_a_zarr_folder_are_followed(tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample())
    (path / "X" / "0.0").rename(path / "chunk")
    os.symlink("../chunk", path / "X" / "0.0")
    np.testing.assert_array_equal(read_batches(path), sample()[0])


def rewrite_zarr(path, member, data, compressor, version):
    """Write a member anew, packed in one chunk."""
    zarr = pytest.importorskip("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.open_group(path, mode="r+", zarr_format=version)
        del group[member]
        group.create_array(member, data=data, chunks=data.shape, compressors=compressor)
    return path / member / ("0" if version == 2 else "c/0")


def codec(name, version):
    """Return what zarr packs by."""
    if version == 2:
        return pytest.importorskip("numcodecs").get_codec({"id": name})
    kinds = {"blosc": "BloscCodec", "gzip": "GzipCodec", "zstd": "ZstdCodec"}
    return getattr(pytest.importorskip("zarr.codecs"), kinds[name])()


PACKED = [(2, name) for name in ("blosc", "gzip", "lz4", "zlib", "zstd")]
PACKED += [(3, name) for name in ("blosc", "gzip", "zstd")]
no_warning = pytest.mark.filterwarnings("ignore:The (data type|codec)")


@no_warning
@pytest.mark.parametrize(("version", "name"), PACKED)
def test_compressors_of_zarr_that_say_their_size_are_known(version, name, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample(), "csr", version)
    expected = [batch.X.toarray() for batch in batches(path, target="kind")]
    stored = np.concatenate([batch.X.data for batch in batches(path, target="kind")])
    rewrite_zarr(path, "X/data", stored, codec(name, version), version)
    found = [batch.X.toarray() for batch in batches(path, target="kind")]
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))


@no_warning
@pytest.mark.parametrize(("version", "name"), PACKED)
def test_chunk_of_zarr_that_unpacks_to_more_than_it_says_is_not_unpacked(version, name, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample(), "csr", version)
    stored = np.concatenate([batch.X.data for batch in batches(path, target="kind")])
    chunk = rewrite_zarr(path, "X/data", stored, codec(name, version), version)
    numcodecs = pytest.importorskip("numcodecs")
    packed = numcodecs.get_codec({"id": name}).encode(bytes(2**24))
    chunk.write_bytes(bytes(packed))
    with pytest.raises(ValueError, match=r"^t\.zarr: /X/data unpacks to more than it says"):
        batches(path, target="kind", max_bytes=2**20)


@no_warning
@pytest.mark.parametrize("version", [2, 3])
def test_chunk_of_zarr_with_too_many_texts_is_refused(version, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample(), "dense", version)
    labels = np.array(sample()[1].tolist(), np.dtypes.StringDType())
    chunk = rewrite_zarr(path, "obs/kind", labels, codec("zstd", version), version)
    zstd = pytest.importorskip("numcodecs").Zstd()
    texts = bytes(zstd.decode(chunk.read_bytes()))
    chunk.write_bytes(bytes(zstd.encode((2**32 - 1).to_bytes(4, "little") + texts[4:])))
    with pytest.raises(ValueError, match=r"^t\.zarr: /obs/kind has more texts in a chunk than it"):
        batches(path, target="kind").classes()


@pytest.mark.parametrize("name", ["bz2", "lzma"])
def test_compressors_that_say_nothing_are_not_unpacked(name, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample(), "csr", 2)
    rewrite_zarr(path, "X/data", np.zeros(76), codec(name, 2), 2)
    with pytest.raises(ValueError, match=rf"^t\.zarr: /X/data is stored with '{name}'"):
        batches(path, target="kind")


def test_array_of_zarr_that_is_packed_twice_is_refused(tmp_path):
    zarr = pytest.importorskip("zarr")
    path = write_zarr(tmp_path / "t.zarr", *sample(), "csr", 3)
    twice = [zarr.codecs.GzipCodec(), zarr.codecs.ZstdCodec()]
    rewrite_zarr(path, "X/data", np.zeros(76), twice, 3)
    with pytest.raises(ValueError, match=r"/X/data is stored with bytes, then gzip, then zstd"):
        batches(path, target="kind")


def references_to_texts(data):
    """Where the lengths of texts stand that lie in a heap of the file."""
    heap = struct.pack("<Q", data.index(b"GCOL"))
    places = [found.start() - 4 for found in re.finditer(re.escape(heap), data)]
    return [place for place in places if 0 < int.from_bytes(data[place : place + 4], "little") < 99]


READ_FORGED = """
import re, sys
from centroidal.io import read_table
for path in sys.argv[1:]:
    try:
        read_table(path, target="kind")
    except ValueError as error:
        assert "could not be read" in str(error), error
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds what a library takes")
def test_forged_lengths_of_texts_take_no_memory(path, tmp_path):
    data = path.read_bytes()
    places = references_to_texts(data)
    assert len(places) > 20  # texts of attributes and of columns
    forged = []
    for number, place in enumerate(places[:: len(places) // 12]):
        forged.append(tmp_path / f"{number}.h5ad")
        forged[-1].write_bytes(data[:place] + b"\xf0\xff\xff\xff" + data[place + 4 :])
    command = [sys.executable, "-c", READ_FORGED, *map(str, forged)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 2**20  # in KiB; a length would take four times as much


# ------------------------------------------------------------------ zarr at a URL


@pytest.fixture
def memory_url():
    pytest.importorskip("zarr")
    fsspec = pytest.importorskip("fsspec")
    yield "memory://cells/t.zarr"
    fsspec.filesystem("memory").rm("/cells", recursive=True)


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("version", [2, 3])
def test_zarr_at_a_url_has_the_rows_of_the_folder(kind, version, tmp_path, memory_url):
    X, y = sample()
    write_zarr(memory_url, X, y, kind, version)
    write_zarr(tmp_path / "t.zarr", X, y, kind, version)
    for url in (memory_url, f"file://{tmp_path}/t.zarr"):
        rows = batches(url, target="kind", batch_size=7)
        found = [batch.X.toarray() if kind == "csr" else batch.X for batch in rows]
        np.testing.assert_array_equal(np.concatenate(found), X)
        assert np.concatenate([batch.y for batch in rows]).tolist() == y.tolist()
        assert rows.on_workers().read_labels(3, 5)[0].tolist() == y[3:8].tolist()


@no_warning
@pytest.mark.parametrize(("version", "name"), [(2, "gzip"), (3, "zstd")])
def test_chunk_at_a_url_that_unpacks_to_more_than_it_says_is_not_unpacked(version, name, tmp_path):
    path = write_zarr(tmp_path / "t.zarr", *sample(), "csr", version)
    stored = np.concatenate([batch.X.data for batch in batches(path, target="kind")])
    chunk = rewrite_zarr(path, "X/data", stored, codec(name, version), version)
    packer = pytest.importorskip("numcodecs").get_codec({"id": name})
    chunk.write_bytes(bytes(packer.encode(bytes(2**24))))
    rows = batches(f"file://{path}", target="kind", max_bytes=2**20)
    with pytest.raises(ValueError, match=r"t\.zarr: /X/data unpacks to more than it says"):
        list(rows)


def test_zarr_at_a_url_that_is_not_there_is_said(tmp_path):
    pytest.importorskip("zarr")
    with pytest.raises(FileNotFoundError, match="no file or folder file://.*nothing.zarr"):
        batches(f"file://{tmp_path}/nothing.zarr", target="kind")
