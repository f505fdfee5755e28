"""Writes golden.parquet with pyarrow, whose version is in its metadata.

    python3 internal/rows/testdata/generate.py
"""
import decimal, pathlib
import numpy as np, pyarrow as pa, pyarrow.parquet as pq

table = pa.table({
    "int": pa.array([-1, None, 2], pa.int64()),
    "byte": pa.array([200, None, 1], pa.uint8()),
    "unsigned": pa.array([4000000000, None, 1], pa.uint32()),
    "long": pa.array([18000000000000000000, None, 1], pa.uint64()),
    "float": pa.array([.5, None, -1.5], pa.float32()),
    "double": pa.array([.1, None, 1e-300]),
    "half": pa.array([np.float16(.25), None, np.float16(-2)], pa.float16()),
    "bool": pa.array([True, None, False]),
    "text": pa.array(["cat", None, "ä"]),
    "category": pa.array(["dog", None, "dog"]).dictionary_encode(),
    "bytes": pa.array([b"x", None, b"y"]),
    "nothing": pa.nulls(3),
    "list": pa.array([[1, 2], None, []]),
    "record": pa.array([{"a": 1}, None, {"a": 2}]),
    "decimal": pa.array([decimal.Decimal("1.50"), None, None]),
})
pq.write_table(table, pathlib.Path(__file__).parent / "golden.parquet", row_group_size=2, compression="snappy")
