"""Write the answers of several people to a file for the program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _files

# The usual names of the program's columns.
_tasks, _workers, _label = ("task", "id", "file_name"), ("worker", "annotator"), "label"


def write(work: Path, answers: Any) -> list[str]:
    """Writes answers to a file, unless they are a path, and returns the program's arguments for them.

    Named columns are task, worker and label with an answer per row, or the examples' names, if any, and one column per
    person. Without names, tuples of three are (task, worker, label), and other rows have an answer per person. Missing
    answers of a matrix are -1, None, NaN, NA or masked. Raises ValueError if three columns can be read either way.
    """
    if isinstance(answers, (str, Path)):
        return ["--answers", str(answers)]
    table = _named(answers)
    if table is not None:
        return _write_named(work, table)
    rows = answers.to_numpy() if hasattr(answers, "to_numpy") else answers
    rows = rows.tolist() if hasattr(rows, "tolist") else list(rows)
    if not rows or any(not isinstance(row, (list, tuple, np.ndarray)) or len(row) != len(rows[0]) for row in rows):
        raise ValueError("answers need rows of equal length: one per example with a column per person, or tuples of three")
    columns = [_files.scalars(column) for column in zip(*rows)]
    if isinstance(answers, (list, tuple)) and len(columns) == 3 and all(isinstance(row, tuple) for row in rows):
        return _write_triples(work, *columns)
    numeric = all(_numeric(column) for column in columns)
    if _may_be_triples(columns):
        if not numeric and not _alike(columns[0], columns[2]):
            return _write_triples(work, *columns)
        raise _unclear(len(rows), "three columns")
    if not numeric:
        return _write_matrix(work, [str(k) for k in range(len(columns))], columns)
    matrix = np.array([[-1 if value is None else value for value in column] for column in columns]).T
    np.save(work / "answers.npy", np.ascontiguousarray(matrix))
    return ["--answers", str(work / "answers.npy")]


def _named(answers: Any) -> dict[str, Any] | None:
    """Returns the columns of a DataFrame, a dictionary or a structured array by name, or None for other data and for a
    DataFrame with only numbered columns. An index named task is a column, as after pivot."""
    if set(getattr(getattr(answers, "index", None), "names", [])) & {*_tasks, *_workers}:
        answers = answers.reset_index()
    structure = getattr(getattr(answers, "dtype", None), "names", None)
    names = answers if isinstance(answers, dict) else getattr(answers, "columns", structure)
    if names is None or list(names) == list(range(len(names))):
        return None
    if len({str(name) for name in names}) < len(names):
        raise ValueError(f"two columns of answers have the same name: {list(names)}")
    return {str(name): _files.scalars(answers[name]) for name in names}


def _write_named(work: Path, table: dict[str, list[Any]]) -> list[str]:
    if len({len(column) for column in table.values()}) != 1:
        raise ValueError("the columns of answers differ in length")
    task, worker = (next((name for name in usual if name in table), None) for usual in (_tasks, _workers))
    if task and worker and _label in table:
        return _write_triples(work, table[task], table[worker], table[_label])
    if worker or _label in table:
        raise ValueError(f"answers have the columns {list(table)}: give task, worker and label, or a column per person")
    people = [name for name in table if name != task]
    columns = [table[name] for name in people]
    if not task and _may_be_triples(columns) and not _alike(columns[0], columns[2]):
        raise _unclear(len(columns[0]), f"the columns {people}")
    return _write_matrix(work, people, columns, table[task] if task else None)


def _numeric(column: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, (int, float)) and not isinstance(value, bool) for value in column)


def _may_be_triples(columns: Sequence[Sequence[Any]]) -> bool:
    """Reports whether three columns may be tasks, workers and labels. A person answers a task once, so most pairs of
    the first two would differ; labels of a few classes repeat their pairs."""
    if len(columns) != 3 or any(value in (None, -1) for column in columns[:2] for value in column):
        return False
    return 2 * len(set(zip(*columns[:2]))) > len(columns[0])


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Reports whether two columns share half of their values, as labels of the same examples do."""
    a, b = set(one) - {None}, set(other) - {None}
    return 2 * len(a & b) >= len(a | b)


def _unclear(n: int, columns: str) -> ValueError:
    return ValueError(
        f"{columns} of answers may be labels by three people for {n} examples, or {n} answers with task, worker and "
        "label: for the first, give a DataFrame or dictionary with columns named after the people; for the second, one "
        "with the columns task, worker and label, or a list of tuples (task, worker, label)"
    )


def _write_triples(work: Path, tasks: Sequence[Any], workers: Sequence[Any], labels: Sequence[Any]) -> list[str]:
    """Writes a row per answer, except answers without a label."""
    rows = [row for row in zip(tasks, workers, labels) if row[2] is not None]
    for row in rows:
        if None in row[:2]:
            raise ValueError(f"the answer {row} needs a task and a worker")
    columns = [_files.texts(column) for column in zip(*rows)]
    _files.write_table(work / "answers.csv", ["task", "worker", "label"], zip(*columns))
    return ["--answers", str(work / "answers.csv")]


def _write_matrix(
    work: Path, people: list[str], columns: Sequence[Sequence[Any]], tasks: Sequence[Any] | None = None
) -> list[str]:
    """Writes a row per example and a column per person, empty for no answer."""
    task = "task"
    while task in people:
        task += "_"
    tasks = _files.texts(range(len(columns[0])) if tasks is None else tasks)
    labels = [_files.texts(column, unknown=True) for column in columns]
    _files.write_table(work / "answers.csv", [task, *people], zip(tasks, *labels))
    return ["--answers", str(work / "answers.csv"), "--task", task, *(f"--annotator={name}" for name in people)]
