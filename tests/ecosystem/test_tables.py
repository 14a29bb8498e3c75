"""Columns of tables: what pandas and pyarrow wrote has the values that they read, and faults have a name."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")
pandas = pytest.importorskip("pandas")

import weft  # noqa: E402
from weft.errors import FileFormatError, WeftError  # noqa: E402
from weft.runtime.memory.limits import limited  # noqa: E402
from weft.tensors.tensor import node_of  # noqa: E402

ROWS = 1000
NUMBERS = ["id", "price", "qty", "discount", "flag", "lat"]


def orders() -> Any:
    """A table as shops have them: numbers, text, dates, holes."""
    r = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "id": np.arange(ROWS),
            "price": r.lognormal(3, 1, ROWS).round(2),
            "qty": r.integers(1, 20, ROWS).astype("int32"),
            "discount": r.random(ROWS).astype("float32"),
            "flag": r.random(ROWS) < 0.3,
            "city": r.choice(["Berlin", "Paris"], ROWS),
            "when": pandas.date_range("2024-01-01", periods=ROWS),
            "lat": r.normal(50, 5, ROWS),
        }
    )
    frame.loc[::10, "lat"] = np.nan
    return frame


def write(path: Path, table: Any, kind: str) -> Path:
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=170)
    elif kind == "feather":
        feather.write_feather(table, str(path), chunksize=300)
    elif kind == "stream":
        with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as out:
            out.write_table(table, max_chunksize=99)
    else:
        pyarrow.csv.write_csv(table, path)
    return path


KINDS = [("a.parquet", "parquet"), ("a.feather", "feather"), ("a.arrow", "feather"), ("a.arrows", "stream")]


@pytest.fixture(params=KINDS, ids=lambda k: k[0])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, kind = request.param
    return write(tmp_path / name, pyarrow.Table.from_pandas(orders()), kind)


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(*args, **options).numpy()
    return str(caught.value)


def test_columns(file: Path) -> None:
    frame, found = orders(), weft.open_all(file)
    assert list(found) == NUMBERS
    for name, x in found.items():
        assert (x.dtype.np, x.shape) == (frame[name].dtype, (ROWS,))
        np.testing.assert_array_equal(x.numpy(), frame[name])
        for key in (np.s_[5], np.s_[-10:], np.s_[::-170], np.s_[168:512:7], np.s_[300:300]):
            np.testing.assert_array_equal(x[key].numpy(), frame[name].to_numpy()[key])
    assert weft.open(f"{file}::qty").sum().item() == frame["qty"].sum()
    assert refused(file) == (
        f"open: {file}: holds 6 arrays: {', '.join(NUMBERS)}; one is wanted; give name=, or the path with ::NAME, or "
        "use open_all"
    )
    assert "has no array 'prize'; holds 6 arrays: " in refused(file, name="prize")
    assert "did you mean 'price'" in refused(file, name="prize")


def test_a_matrix_of_columns(file: Path) -> None:
    x = weft.open(file, name=["price", "qty", "flag"])
    assert (x.shape, x.dtype) == ((ROWS, 3), weft.float64)
    np.testing.assert_array_equal(x.numpy(), orders()[["price", "qty", "flag"]].to_numpy(float))


def test_what_is_no_number_is_refused_by_name(file: Path) -> None:
    assert "column 'city' has type " in refused(file, name="city")
    assert "weft reads numbers, it is text; give each text a number, as pandas.factorize does" in refused(
        file, name="city"
    )
    assert "column 'when' has type timestamp[" in refused(file, name="when")
    assert "it is points in time; cast it to int64" in refused(file, name="when")


def test_bytes_of_a_table(file: Path) -> None:
    form = "parquet" if file.suffix == ".parquet" else "arrow"
    x = weft.open(io.BytesIO(file.read_bytes()), format=form, name="price")
    np.testing.assert_array_equal(x.numpy(), orders()["price"])


def test_parquet_reads_the_groups_of_the_rows_that_are_wanted(tmp_path: Path) -> None:
    n = 1_000_000
    table = pyarrow.table({"x": np.random.default_rng(0).random(n), "y": np.arange(n)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=100_000)
    explained = weft.explain(weft.open(tmp_path / "a.parquet", name="x")[150_000:250_000:1000])
    assert [(s.bytes, s.reads) for s in explained.sources] == [(200_000 * 8, 2)]


def test_a_chunk_is_as_many_rows_as_the_largest_group(tmp_path: Path) -> None:
    cells = np.arange(1000) * 0.5
    sizes = {"even": [300, 300, 300, 100], "uneven": [1, 400, 29, 200, 370], "one": [1000]}
    for name, groups in sizes.items():
        path = tmp_path / f"{name}.parquet"
        with parquet.ParquetWriter(path, pyarrow.schema([("x", pyarrow.float64())])) as out:
            for rows, end in zip(groups, np.cumsum(groups), strict=True):
                out.write_table(pyarrow.table({"x": cells[end - rows : end]}), row_group_size=1000)
        source = node_of(weft.open(path)).inputs[0].attrs[0]
        assert source.chunks == weft.open(path).chunks == (max(groups),)
        blocks = [source.block((k,)) for k in range(-(-1000 // max(groups)))]
        np.testing.assert_array_equal(np.concatenate(blocks), cells)
        assert {len(b) for b in blocks[:-1]} <= {max(groups)}


def test_chunks_of_all_kinds(file: Path) -> None:
    table = orders()
    for name in NUMBERS:
        source = node_of(weft.open(file, name=name)).inputs[0].attrs[0]
        blocks = [source.block((k,)) for k in range(-(-ROWS // source.chunks[0]))]
        np.testing.assert_array_equal(np.concatenate(blocks), table[name].to_numpy())


def test_lists_and_nulls_in_chunks(tmp_path: Path) -> None:
    rows = pyarrow.array([[1, 2], None, [3, 4], [5, 6], [7, 8]], pyarrow.list_(pyarrow.int32(), 2))
    parquet.write_table(pyarrow.table({"x": rows}), tmp_path / "a.parquet", row_group_size=2)
    source = node_of(weft.open(tmp_path / "a.parquet", nulls=0)).inputs[0].attrs[0]
    assert source.chunks == (2, 2)
    assert [source.block((k, 0)).tolist() for k in range(3)] == [[[1, 2], [0, 0]], [[3, 4], [5, 6]], [[7, 8]]]


def test_a_large_column_is_read_group_by_group(tmp_path: Path) -> None:
    cells = np.random.default_rng(0).random(1_000_000)
    parquet.write_table(pyarrow.table({"x": cells}), tmp_path / "a.parquet", row_group_size=50_000)
    x = weft.open(tmp_path / "a.parquet")
    with limited(2 << 20):
        assert (x.mean().item(), x.std().item()) == (
            weft.asarray(cells).mean().item(),
            weft.asarray(cells).std().item(),
        )


TYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.parametrize("dtype", TYPES)
def test_dtypes_and_nulls(tmp_path: Path, name: str, kind: str, dtype: str) -> None:
    values = np.array([1, 0, 1, 5, 7, 9], dtype)
    mask = np.array([0, 0, 1, 0, 0, 1], bool)
    whole, holes = pyarrow.array(values), pyarrow.array(values, mask=mask)
    path = write(tmp_path / name, pyarrow.table({"whole": whole, "holes": holes}), kind)
    x = weft.open(path, name="whole")
    assert x.dtype.np == values.dtype
    np.testing.assert_array_equal(x.numpy(), values)
    if dtype.startswith("float"):
        x = weft.open(path, name="holes")
        assert x.dtype.np == values.dtype
        np.testing.assert_array_equal(x.numpy(), np.where(mask, np.nan, values).astype(dtype))
    else:
        assert (
            f"a.{name[2:]}::holes: 2 cells are null, and {dtype} has no word for that; give nulls=weft.nan"
            in refused(path, name="holes")
        )
        x = weft.open(path, name="holes", nulls=weft.nan)
        assert x.dtype is weft.float64
        np.testing.assert_array_equal(x.numpy(), np.where(mask, np.nan, values))
        assert weft.open(path, name="whole", nulls=weft.nan).dtype.np == values.dtype
    x = weft.open(path, name="holes", nulls=1)
    assert x.dtype.np == values.dtype
    np.testing.assert_array_equal(x.numpy(), np.where(mask, values.dtype.type(1), values))


def test_a_fill_that_does_not_fit(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"a": pyarrow.array([1, None], pyarrow.int8())}), tmp_path / "a.parquet")
    assert "pyarrow cannot read it" in refused(tmp_path / "a.parquet", nulls=300)
    assert "nulls='x' is no number; give a number, or weft.nan" in refused(tmp_path / "a.parquet", nulls="x")


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_lists_of_one_size_are_rows(tmp_path: Path, name: str, kind: str) -> None:
    values = np.arange(60, dtype="f4").reshape(20, 3)
    column = pyarrow.FixedSizeListArray.from_arrays(values.ravel(), 3)
    path = write(tmp_path / name, pyarrow.table({"embedding": column}), kind)
    np.testing.assert_array_equal(weft.open(path).numpy(), values)
    np.testing.assert_array_equal(weft.open(path)[4:17:3, ::-2].numpy(), values[4:17:3, ::-2])


def test_other_types_are_refused(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "n": [1, 2],
            "decimal": pyarrow.array([1, 2], pyarrow.decimal128(5, 2)),
            "list": [[1], [2, 3]],
            "struct": [{"a": 1}, {"a": 2}],
            "text": pyarrow.array(["a", "b"]).dictionary_encode(),
            "day": pyarrow.array([1, 2], pyarrow.date32()),
        }
    )
    path = write(tmp_path / "a.parquet", table, "parquet")
    assert list(weft.open_all(path)) == ["n"]
    assert "cast it to float64" in refused(path, name="decimal")
    assert "lists; write a column for each position" in refused(path, name="list")
    assert "records; write a column for each field" in refused(path, name="struct")
    assert "it is values by number; cast it to them" in refused(path, name="text")
    assert "dates; cast it to int32 or int64" in refused(path, name="day")


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2]), pyarrow.array([3])], ["a", "a", "b"])
    path = write(tmp_path / "a.feather", table, "feather")
    assert "2 columns are called 'a'" in refused(path, name="b")
    path = write(tmp_path / "a.parquet", table, "parquet")
    assert weft.open(path, name="b").tolist() == [3]
    assert "2 columns are called 'a'" in refused(path, name="a")
    with pytest.raises(FileFormatError, match="2 columns are called 'a'; write it again with names of their own"):
        weft.open_all(path)


def test_a_header_that_repeats_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,a,b\n1,2,3\n")
    for read in (weft.open, weft.open_all):
        with pytest.raises(
            FileFormatError, match=r"2 columns are called 'a'; .* skip=1, header=False as columns f0, f1"
        ):
            read(path)
    assert weft.open(path, name="b").tolist() == [3]
    columns = weft.open_all(path, skip=1, header=False)
    assert {name: x.tolist() for name, x in columns.items()} == {"f0": [1], "f1": [2], "f2": [3]}


def test_a_column_of_integers_with_an_empty_cell_names_the_word_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n,5\n")
    assert "give nulls=weft.nan (the column is float64 then)" in refused(path, name="a")
    assert weft.open(path, name="b").tolist() == [2, 5]
    columns = weft.open_all(path, nulls=weft.nan)
    np.testing.assert_array_equal(columns["a"].numpy(), [1.0, np.nan])
    assert columns["b"].dtype is weft.int64


# ---- CSV


def csv(tmp_path: Path, text: str, name: str = "a.csv", **options: Any) -> Path:
    path = tmp_path / name
    path.write_text(text, **options)
    return path


def test_csv_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    orders().to_csv(path, index=False)
    frame, found = pandas.read_csv(path), weft.open_all(path)
    assert list(found) == NUMBERS
    for name, x in found.items():
        assert x.dtype.np == frame[name].dtype
        np.testing.assert_array_equal(x.numpy(), frame[name])
        np.testing.assert_array_equal(x[7::-3].numpy(), frame[name].to_numpy()[7::-3])
    np.testing.assert_array_equal(weft.open(path, name=["price", "lat"]).numpy(), frame[["price", "lat"]])
    assert "it is text" in refused(path, name="city")


def test_csv_is_parsed_once_for_all_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.sources.formats import csv_text

    parses: list[str] = []
    parsed = csv_text._parsed
    monkeypatch.setattr(csv_text, "_parsed", lambda path, *options: parses.append(path) or parsed(path, *options))
    path = csv(tmp_path, "a,b,c\n1,2,3\n")
    weft.open_all(path)
    assert len(parses) == 1
    weft.open(path, name=["a", "b", "c"])
    assert len(parses) == 2, "nothing is kept of a table that nobody reads"


def test_csv_forms(tmp_path: Path) -> None:
    assert weft.open(csv(tmp_path, "x\ty\n1\t2\n", "a.tsv"), name="y").tolist() == [2]
    german = csv(tmp_path, "Größe;Preis\n1,5;2,25\n", encoding="latin1")
    assert weft.open(german, name="Größe", delimiter=";", decimal=",", encoding="latin1").tolist() == [1.5]
    bare = csv(tmp_path, "1,2\n3,4\n")
    assert weft.open(bare, name=["f0", "f1"], header=False).tolist() == [[1, 2], [3, 4]]
    assert weft.open(csv(tmp_path, "made by X\n\na,b\n1,2\n"), name="b", skip=2).tolist() == [2]
    quoted = csv(tmp_path, 'note,n\n"two\nlines",1\n"a, b",2\n')
    assert weft.open(quoted).tolist() == [1, 2]
    assert weft.open(csv(tmp_path, "a,b\n"), name="b").shape == (0,)
    assert weft.open(csv(tmp_path, "\ufeffa,b\n1,2\n", encoding="utf8"), name="a").tolist() == [1]
    assert weft.open(io.BytesIO(b"a,b\n1,2.5\n"), format="csv", name="b").tolist() == [2.5]


def test_csv_holes(tmp_path: Path) -> None:
    path = csv(tmp_path, "age,fare,none\n22,7.25,\n,71.5,\n26,NA,\n")
    np.testing.assert_array_equal(weft.open(path, name="fare").numpy(), [7.25, 71.5, np.nan])
    np.testing.assert_array_equal(weft.open(path, name="none").numpy(), [np.nan] * 3)
    assert "a.csv::age: 1 cells are null, and int64 has no word for that; give nulls=weft.nan" in refused(
        path, name="age"
    )
    np.testing.assert_array_equal(weft.open(path, name="age", nulls=weft.nan).numpy(), [22, np.nan, 26])
    assert weft.open(path, name="age", nulls=-1).tolist() == [22, -1, 26]
    np.testing.assert_array_equal(
        weft.open(path, name=["age", "fare"], nulls=weft.nan).numpy(), [[22, 7.25], [np.nan, 71.5], [26, np.nan]]
    )
    assert list(weft.open_all(path, nulls=weft.nan)) == ["age", "fare", "none"]


def test_a_compressed_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert "is compressed; open it as weft.open(gzip.open(path), format='csv')" in refused(tmp_path / "a.csv")
    with gzip.open(tmp_path / "a.csv") as file:
        assert weft.open(file, format="csv", name="b").tolist() == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ";;"}, "delimiter=';;'; give one ASCII character"),
        ({"decimal": 3}, "decimal=3; give one ASCII character"),
        ({"skip": -1}, "skip=-1; give the number of lines before the header"),
        ({"encoding": "utf-99"}, "pyarrow cannot read it"),
        ({"delimiter": ","}, "or wants delimiter=, header=, skip= or encoding="),
        ({"delimitr": ";"}, "the format has no option delimitr=; did you mean delimiter="),
    ],
)
def test_csv_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    rows = "a;b\n1,5;2\n" if options == {"delimiter": ","} else "a,b\n1,2\n"
    assert message in refused(csv(tmp_path, rows), name="a", **options)


# ---- bad files


def test_ragged_and_empty_csv(tmp_path: Path) -> None:
    assert "Expected 2 columns, got 3" in refused(csv(tmp_path, "a,b\n1,2\n1,2,3\n"), name="a")
    assert "Empty CSV file" in refused(csv(tmp_path, ""))
    assert "holds no array that weft can read" in refused(csv(tmp_path, "a,b\nx,y\n"))


def test_files_cut_short(file: Path) -> None:
    whole = file.read_bytes()
    form = "parquet" if file.suffix == ".parquet" else "arrow"
    for length in (0, 3, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        if file.suffix == ".arrows" and length > len(whole) // 3:
            continue  # a stream may end after any batch
        assert refused(file, name="lat").startswith(f"{form}: {file}: ")


def test_flipped_bytes(file: Path) -> None:
    """Any byte may be wrong: a value is wrong then, or one of weft's errors names the file."""
    whole = bytearray(file.read_bytes())
    for at in [*range(64), *range(64, len(whole), len(whole) // 150), *range(len(whole) - 200, len(whole), 3)]:
        changed = bytearray(whole)
        changed[at] ^= 0x5A
        file.write_bytes(changed)
        try:
            weft.open(file, name="lat").numpy()
        except WeftError as error:
            assert str(file) in str(error)


def test_a_file_that_changes(file: Path) -> None:
    x = weft.open(file, name="price")
    write(file, pyarrow.table({"price": [1.0]}), "parquet" if file.suffix == ".parquet" else "feather")
    if file.suffix == ".arrows":
        assert x.shape == (ROWS,), "a stream was read when it was opened"
        np.testing.assert_array_equal(x.numpy(), orders()["price"])
        return
    with pytest.raises(FileFormatError, match="has changed since it was opened; open it again"):
        x.numpy()


def test_other_files_under_the_name(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.feather", "a.arrows"):
        (tmp_path / name).write_bytes(b"nothing of the kind" * 10)
        assert str(tmp_path / name) in refused(tmp_path / name)
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(100))
    assert "is Feather of version 1; write it again with pyarrow.feather.write_feather" in refused(
        tmp_path / "a.feather"
    )


# ---- writing


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "csv"])
def test_pandas_reads_what_is_written(tmp_path: Path, ending: str) -> None:
    columns = {
        "x": np.random.default_rng(0).normal(size=1000),
        "n": np.arange(1000),
        "f": np.arange(1000) % 3 == 0,
        "holes": np.where(np.arange(1000) % 7, 0.5, np.nan),
    }
    path = tmp_path / f"a.{ending}"
    weft.save(path, {name: weft.asarray(values) * 1 if name == "x" else values for name, values in columns.items()})
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv}.get(ending, pandas.read_feather)(path)
    found = weft.open_all(path)
    assert list(read.columns) == list(found) == list(columns)
    for name, values in columns.items():
        assert read[name].to_numpy().dtype == found[name].dtype.np == values.dtype
        np.testing.assert_array_equal(found[name].numpy(), values)
        np.testing.assert_array_equal(read[name], values)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_rows_as_lists(tmp_path: Path, ending: str) -> None:
    values = np.arange(12, dtype="f4").reshape(4, 3)
    weft.save(tmp_path / f"a.{ending}", {"e": values})
    np.testing.assert_array_equal(weft.open(tmp_path / f"a.{ending}").numpy(), values)


def test_tables_in_memory_and_what_is_no_column(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    weft.save(buffer, {"a": [1, 2]}, format="csv")
    assert buffer.getvalue() == b'"a"\n1\n2\n'
    with pytest.raises(weft.errors.ShapeError, match=r"has shape \(3,\), columns of one table have \[2, 3\] rows"):
        weft.save(tmp_path / "a.parquet", {"a": [1, 2, 3], "b": [1, 2]})
    with pytest.raises(weft.errors.ShapeError, match="give tensors of one axis and one length, by their names"):
        weft.save(tmp_path / "a.csv", np.ones((2, 3)))
    with pytest.raises(weft.errors.DTypeError, match="column 'a' is complex128; tables have none; convert it"):
        weft.save(tmp_path / "a.parquet", {"a": [1j]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 70_000, "", 3, None])
@pytest.mark.parametrize("ending", ["parquet", "feather", "csv"])
def test_odd_names(tmp_path: Path, ending: str, name: Any) -> None:
    weft.save(tmp_path / f"a.{ending}", {"x": [1, 2], "y": [3, 4]})
    refused(tmp_path / f"a.{ending}", name=name)
    if ending != "csv" and name is not None:
        with pytest.raises(FileFormatError, match="has no array"):
            weft.attributes(tmp_path / f"a.{ending}", name)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_attributes(tmp_path: Path, ending: str) -> None:
    field = pyarrow.field("x", pyarrow.float32(), metadata={"units": "K"})
    schema = pyarrow.schema([field], metadata={"title": "July"})
    table = pyarrow.table({"x": pyarrow.array([1.0], pyarrow.float32())}, schema=schema)
    path = write(tmp_path / f"a.{ending}", table, ending)
    assert weft.attributes(path) == {"title": "July"}
    assert weft.attributes(path, "x") == {"type": "float", "units": "K"}
