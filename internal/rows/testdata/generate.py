"""Writes golden.parquet with pyarrow, and huggingface.parquet with datasets, whose versions are in their metadata.

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

# huggingface.parquet, by datasets: two groups of rows, and a row without an image.
import datasets
from PIL import Image

def photo(y):
    a = np.full((4, 4, 3), 60, np.uint8)
    a[..., y] = 200
    return Image.fromarray(a)

classes = [k % 2 for k in range(10)]
photos = [photo(y) for y in classes]
photos[7] = None
datasets.Dataset.from_dict(
    {"id": [f"x{k}" for k in range(10)], "image": photos, "labels": classes, "tags": [[1, 2], []] * 5},
    features=datasets.Features({
        "id": datasets.Value("string"), "image": datasets.Image(), "labels": datasets.ClassLabel(names=["réd", "green"]),
        "tags": datasets.Sequence(datasets.Value("int32")),
    }),
).to_parquet(pathlib.Path(__file__).parent / "huggingface.parquet", batch_size=6)
