"""Arrays to files that the program reads, and back."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def write_labels(path: Path, labels: Sequence[Any], truth: Sequence[Any] | None = None) -> None:
    """Writes one label per line, and beside it the true one, empty where it is None, NaN or -1."""
    columns = [texts(labels)]
    if truth is not None:
        if len(truth) != len(labels):
            raise ValueError(f"{len(truth)} true labels for {len(labels)} labels")
        columns.append(texts(truth, unknown=True))
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["label", "truth"][: len(columns)])
        table.writerows(zip(*columns))


def texts(labels: Sequence[Any], unknown: bool = False) -> list[str]:
    """Returns labels as the program's class names: 3.0 of a float array is 3."""
    out = []
    for k, label in enumerate(np.asarray(labels).tolist()):
        missing = label is None or label != label
        if missing or unknown and label == -1:
            if not unknown:
                raise ValueError(f"label {k} is {label}: every example needs a label")
            out.append("")
        elif isinstance(label, float) and label.is_integer():
            out.append(str(int(label)))
        else:
            out.append(str(label))
    return out


def class_names(labels: Sequence[Any], columns: int, classes: Sequence[Any] | None) -> list[str]:
    """Returns the names of the columns of probabilities: classes, or 0 to C-1 where labels are such numbers, or
    the labels that occur, in order."""
    if classes is None:
        values = np.asarray(labels)
        if np.issubdtype(values.dtype, np.number):
            classes = range(columns)
        else:
            classes = sorted(set(values.tolist()))
    if len(classes) != columns:
        raise ValueError(f"probabilities have {columns} columns for {len(classes)} classes: give classes in the order of the columns")
    return texts(list(classes))


def column_names(labels: Sequence[Any] | None, probabilities: Any) -> list[Any] | None:
    """Returns the names of the columns of a DataFrame, which are those of the classes; None of an array, and of
    columns that are only counted."""
    names = list(getattr(probabilities, "columns", []))
    if not names or names == list(range(len(names))):
        return None
    if labels is not None and not set(texts(labels)) <= set(texts(names)):
        raise ValueError(f"the columns of the probabilities are {names}, which are not the labels: give classes in the order of the columns")
    return names


def write_matrix(path: Path, t: Any, classes: Sequence[str]) -> None:
    """Writes a transition matrix [C C] with the names of its classes."""
    t = np.asarray(t, float)
    if t.shape != (len(classes), len(classes)):
        raise ValueError(f"T has shape {t.shape} for {len(classes)} classes")
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["true", *classes])
        table.writerows([name, *map(repr, row)] for name, row in zip(classes, t.tolist()))


def read_column(path: Path, column: str, optional: bool = False) -> list[str]:
    """Returns a column of a CSV file; of one without it empty texts where it is optional."""
    with open(path, newline="", encoding="utf-8") as file:
        return [row.get(column, "") if optional else row[column] for row in csv.DictReader(file)]


def read_table(path: Path, columns: Sequence[str], types: dict[str, type], optional: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Returns columns of a CSV file of an audit as arrays; an empty number is NaN. Names have lost the apostrophe that
    keeps spreadsheets from calculating."""
    table = {}
    for name in columns:
        values = read_column(path, name, name in optional)
        if name in types:
            table[name] = np.array([types[name](v) if v else np.nan for v in values])
        else:
            table[name] = np.array([v[1:] if v.startswith("'") else v for v in values])
    return table


def frame(table: dict[str, np.ndarray]) -> Any:
    """Returns a pandas DataFrame of columns where pandas is installed, else the columns."""
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


def write_answers(work: Path, answers: Any) -> Path:
    """Returns the file of answers, which it writes unless answers are its path."""
    if isinstance(answers, (str, Path)):
        return Path(answers)
    values = np.asarray(answers)
    if values.ndim == 2 and np.issubdtype(values.dtype, np.integer):
        np.save(work / "answers.npy", values)
        return work / "answers.npy"
    with open(work / "answers.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["task", "worker", "label"])
        table.writerows(zip(*(texts(column) for column in zip(*answers))))
    return work / "answers.csv"


def as_given(names: list[str], labels: Sequence[Any]) -> np.ndarray:
    """Returns class names in the type of labels."""
    values = np.asarray(labels)
    if np.issubdtype(values.dtype, np.number):
        return np.array([float(n) for n in names]).astype(values.dtype)
    if values.dtype == bool:
        return np.array(names) == "True"
    return np.array(names)

