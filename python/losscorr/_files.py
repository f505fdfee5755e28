"""Write arrays to files for the program, and read its files."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_number = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def cell(text: str) -> str:
    """Returns a name as the program writes it in CSV files: with an apostrophe in front if a spreadsheet would take it
    for a formula, or if it already starts with an apostrophe and a formula. Mirrors Cell of the program's
    internal/rows."""
    if not re.match(r"'*[=+\-@\t\r]", text) or _number.fullmatch(text) and math.isfinite(float(text)):
        return text
    return "'" + text


def original(text: str) -> str:
    """Returns the name for a cell; the inverse of cell."""
    return text[1:] if text.startswith("'") and cell(text[1:]) == text else text


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a CSV file of names for the program. The header is not escaped."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        table.writerows([cell(text) for text in row] for row in rows)


def read_table(path: Path, types: dict[str, type], optional: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Returns columns of a CSV file of the program as arrays of their types. Empty numbers, and missing optional
    columns, are NaN."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {}
    for name, kind in types.items():
        values = [original(row.get(name, "") if name in optional else row[name]) for row in rows]
        table[name] = np.array(values if kind is str else [kind(v) if v else np.nan for v in values])
    return table


def frame(table: dict[str, np.ndarray]) -> Any:
    """Returns a pandas DataFrame of columns if pandas is installed, else the columns."""
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


def scalars(values: Any) -> list[Any]:
    """Returns the values of an array, a column or a list as Python values: None for None, NaN, NA and masked."""
    return [scalar(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


def scalar(value: Any) -> Any:
    """Returns a value of numpy, pandas or torch as a Python value, None if it is missing."""
    if value is None or value is np.ma.masked:
        return None
    value = value.item() if hasattr(value, "item") else value
    try:
        return None if value != value else value
    except TypeError:  # pandas NA cannot be compared
        return None


def write_labels(path: Path, labels: Sequence[Any], truth: Sequence[Any] | None = None) -> None:
    """Writes one label per line, and the true label beside it, empty if missing or -1."""
    columns = [texts(labels)]
    if truth is not None:
        if len(truth) != len(labels):
            raise ValueError(f"truth has {len(truth)} labels, but labels has {len(labels)}")
        columns.append(texts(truth, unknown=True))
    write_table(path, ["label", "truth"][: len(columns)], zip(*columns))


def texts(labels: Sequence[Any], unknown: bool = False) -> list[str]:
    """Returns labels as the program's class names: 3.0 in a float array is 3. If unknown is set, missing labels and -1
    are empty texts."""
    out = []
    for k, label in enumerate(scalars(labels)):
        if label is None or unknown and label == -1:
            if not unknown:
                raise ValueError(f"label {k} is missing (None, NaN, NA or masked): every example needs a label")
            out.append("")
        elif isinstance(label, float) and label.is_integer():
            out.append(str(int(label)))
        else:
            out.append(str(label))
    return out


def column_names(labels: Sequence[Any] | None, probabilities: Any) -> list[Any] | None:
    """Returns the column names of a DataFrame, which name the classes, or None for an array and for numbered
    columns."""
    names = list(getattr(probabilities, "columns", []))
    if not names or names == list(range(len(names))):
        return None
    if labels is not None and not set(texts(labels)) <= set(texts(names)):
        raise ValueError(f"the columns of the probabilities, {names}, do not match the labels: give classes in the order of the columns")
    return names


def write_classes(path: Path, classes: Sequence[Any], columns: int) -> None:
    """Writes the names of the columns of probabilities, one per line."""
    if len(classes) != columns:
        raise ValueError(f"probabilities have {columns} columns for {len(classes)} classes: give classes in the order of the columns")
    path.write_text("".join(cell(name) + "\n" for name in texts(classes)), encoding="utf-8")


def write_matrix(path: Path, t: Any, classes: Sequence[str]) -> None:
    """Writes a transition matrix [C C] with its unescaped class names."""
    t = np.asarray(t, float)
    if t.shape != (len(classes), len(classes)):
        raise ValueError(f"T has shape {t.shape}, but there are {len(classes)} classes")
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["true", *classes])
        table.writerows([name, *map(repr, row)] for name, row in zip(classes, t.tolist()))


def read_matrix(path: Path) -> np.ndarray:
    """Reads a transition matrix [C C] written by the program."""
    with open(path, newline="", encoding="utf-8") as file:
        return np.array([row[1:] for row in list(csv.reader(file))[1:]], float)


def as_given(names: np.ndarray, labels: Sequence[Any]) -> np.ndarray:
    """Converts class names to the type of labels."""
    dtype = np.asarray(labels).dtype
    if dtype == object:  # such as pandas integers with missing values
        dtype = np.asarray(scalars(labels)).dtype
    if np.issubdtype(dtype, np.number):
        return names.astype(float).astype(dtype)
    return names == "True" if dtype == bool else names
