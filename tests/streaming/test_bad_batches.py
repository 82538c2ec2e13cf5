"""Folders of Parquet files with something odd in the middle: what is refused loses nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from centroidal import DisjointCentroidClassifier, SparseCenterClassifier
from centroidal.persistence import read_model_card
from centroidal.streaming.fit_batches import fit_batches

from .test_batches import damage, sample, write_folder
from .test_fit_batches import assert_same, open_folder

RECIPES = {
    "l2": lambda: SparseCenterClassifier(2, scale="within"),
    "margin": lambda: DisjointCentroidClassifier("margin"),
    "l1": lambda: SparseCenterClassifier(2, metric="l1"),
}
every_recipe = pytest.mark.parametrize("recipe", list(RECIPES))
CUTS = (80, 160, 240)  # of 320 rows


@pytest.fixture
def data():
    X, y = sample(320, 6)
    X[y == "a", 2] += 2.0
    X[y == "b", 4] -= 3.0
    return X, y


@pytest.fixture
def folder(tmp_path, data):
    return write_folder(tmp_path / "parts", *data, cuts=CUTS, group=80)


def rewrite(path, **columns):
    """Put other columns in a file."""
    table = pq.read_table(path)
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    pq.write_table(table, path)


def damage_column(path, name):
    """Spoil the pages of one column and leave the others and the footer as they are."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    parts = [group.column(i) for i in range(group.num_columns)]
    (part,) = (part for part in parts if part.path_in_schema == name)
    start = part.dictionary_page_offset or part.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + part.total_compressed_size] = b"\xff" * part.total_compressed_size
    path.write_bytes(data)


def steps_done(checkpoint):
    return read_model_card(checkpoint).metadata["fit_batches"]["progress"][0]


@every_recipe
def test_file_with_other_columns_is_named_before_any_work(recipe, folder, tmp_path):
    path = tmp_path / "model.skops"
    rewrite(folder / "part-2.parquet", g1=np.arange(80))
    with pytest.raises(ValueError, match=r"part-2\.parquet has other .*'g1' \(int64, not double\)"):
        fit_batches(RECIPES[recipe](), open_folder(folder), checkpoint=path)
    assert not path.exists()


@pytest.mark.parametrize("recipe", ["l2", "margin"])
def test_repair_of_a_file_in_the_middle_gives_the_unbroken_model(recipe, folder, tmp_path):
    unbroken = fit_batches(RECIPES[recipe](), open_folder(folder, 20))
    good = (folder / "part-2.parquet").read_bytes()
    damage(folder / "part-2.parquet")
    path = tmp_path / "model.skops"
    options = {"classes": ["a", "b", "c"], "checkpoint": path, "checkpoint_every": 1}
    for _ in range(2):  # trying again does no harm
        with pytest.raises(ValueError, match=r"Batch 8 of parts: parts/part-2\.parquet could not"):
            fit_batches(RECIPES[recipe](), open_folder(folder, 20), **options)
        assert steps_done(path) == 8
    (folder / "part-2.parquet").write_bytes(good)
    assert_same(fit_batches(RECIPES[recipe](), open_folder(folder, 20), **options), unbroken)


def test_repair_of_a_file_that_was_read_in_part_is_noticed(folder, tmp_path):
    """With medians other columns of it were read; whether these are as they were is not known."""
    unbroken = fit_batches(RECIPES["l1"](), open_folder(folder, 20))
    good = (folder / "part-2.parquet").read_bytes()
    damage_column(folder / "part-2.parquet", "g3")
    path = tmp_path / "model.skops"
    options = {"checkpoint": path, "memory": 2 * 320 * 8}  # two of six columns at a time
    with pytest.raises(ValueError, match=r"Batch 8 of parts: parts/part-2\.parquet could not"):
        fit_batches(RECIPES["l1"](), open_folder(folder, 20), **options)
    assert steps_done(path) == 1
    (folder / "part-2.parquet").write_bytes(good)
    with pytest.raises(ValueError, match=r"files that have changed: 'part-2\.parquet' \(other"):
        fit_batches(RECIPES["l1"](), open_folder(folder, 20), **options)
    path.unlink()
    assert_same(fit_batches(RECIPES["l1"](), open_folder(folder, 20), **options), unbroken)


@pytest.mark.parametrize("recipe", ["l2", "margin"])
def test_label_that_was_not_declared_leaves_the_checkpoint_before_it(
    recipe, folder, data, tmp_path
):
    unbroken = fit_batches(RECIPES[recipe](), open_folder(folder, 20))
    labels = data[1][160:240]
    rewrite(folder / "part-2.parquet", kind=np.where(np.arange(80) == 30, "d", labels))
    path = tmp_path / "model.skops"
    options = {"classes": ["a", "b", "c"], "checkpoint": path, "checkpoint_every": 1}
    message = r"Batch 9: the label 'd' in parts/part-2\.parquet is not among classes=\['a', 'b', "
    with pytest.raises(ValueError, match=message):
        fit_batches(RECIPES[recipe](), open_folder(folder, 20), **options)
    assert steps_done(path) == 9
    rewrite(folder / "part-2.parquet", kind=labels)
    with pytest.raises(ValueError, match=r"files that have changed: 'part-2\.parquet'"):
        fit_batches(RECIPES[recipe](), open_folder(folder, 20), **options)
    path.unlink()
    assert_same(fit_batches(RECIPES[recipe](), open_folder(folder, 20), **options), unbroken)


@every_recipe
def test_files_without_rows_change_nothing(recipe, folder, tmp_path, data):
    expected = fit_batches(RECIPES[recipe](), open_folder(folder, 20))
    cuts = (0, 0, 80, 80, 160, 240, 320)  # at the beginning, in the middle and at the end
    with_holes = write_folder(tmp_path / "holes", *data, cuts=cuts, group=80)
    assert [len(pq.read_table(each)) for each in sorted(with_holes.iterdir())].count(0) == 4
    assert_same(fit_batches(RECIPES[recipe](), open_folder(with_holes, 20)), expected)


@every_recipe
def test_files_of_one_class_give_the_model_of_all_rows(recipe, tmp_path, data):
    X, y = data
    order = np.argsort(y, kind="stable")
    cuts = np.flatnonzero(y[order][1:] != y[order][:-1]) + 1
    folder = write_folder(tmp_path / "sorted", X[order], y[order], cuts=cuts.tolist())
    model = fit_batches(RECIPES[recipe](), open_folder(folder, 7))
    expected = RECIPES[recipe]().fit(X, y)
    np.testing.assert_array_equal(model.support_, expected.support_)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10, atol=1e-12)
