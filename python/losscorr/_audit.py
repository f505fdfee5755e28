"""Find labels that are probably wrong."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _answers, _files
from ._program import program, run


class Wrong(NamedTuple):
    """The number of wrong labels.

    low, high  90 % interval of the estimate; without an estimate, the range for the possible kinds of mistakes
    estimate   from random checks; None without enough of them
    """

    low: float
    high: float
    estimate: float | None


class Audit:
    """The result of an audit, in a folder that `losscorr review` and `losscorr train --audit` can use.

    folder     path of the audit's files
    summary    summary.json as a dictionary
    verdict    the result in a sentence
    wrong      the number of wrong labels: low, high, estimate
    flagged    number of labels with p_wrong above .5
    classes    names, in the order of T
    T          [C C], T[i][j] = P(given label j | true class i), as far as mistakes depend on the class
    warnings   texts for people, most important first
    """

    def __init__(self, folder: str | Path, labels: Sequence[Any] | None = None, _keep: Any = None):
        self.folder = Path(folder)
        self.summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        self.verdict: str = self.summary["verdict"]
        self.wrong = Wrong(**self.summary["wrong"])
        self.flagged: int = self.summary["flagged"]
        self.classes: list[str] = [c["name"] for c in self.summary["classes"]]
        self.T: np.ndarray = _files.read_matrix(self.folder / "T_hat.csv")
        self.warnings: list[str] = self.summary["warnings"] or []
        self._labels = labels
        self._keep = _keep  # the temporary folder, deleted with this object

    def __repr__(self) -> str:
        lines, changes = [self.verdict], self.summary["changes"]
        if "annotators" not in self.summary:
            lines.append(f"Labels more likely wrong than right: {self.flagged:,}.")
            if changes and changes["labels"]:
                right = float(f"{changes['right']:.3g}")
                lines.append(f"labels_corrected.csv changes {changes['labels']:,} labels; about {right:,.0f} of these changes are right.")
            else:
                few = "" if changes else ": too few of the model's changes would be right"
                lines.append(f"labels_corrected.csv changes only what you decide{few}.")
        lines += [f"Warning: {text}" for text in self.warnings]
        return "\n".join([*lines, f"Page: {self.folder / 'report.html'}"])

    @property
    def issues(self) -> Any:
        """Columns id, given, suggested (people's answer, or the most probable other class), p_wrong and unusual (NaN
        without features), worst first: a pandas DataFrame if pandas is installed, else a dictionary of arrays. id is
        the example's number, from 0, if the data has no names."""
        types = {"id": str, "given": str, "suggested": str, "p_wrong": float, "unusual": float}
        table = _files.read_table(self.folder / "issues.csv", types, optional=["unusual"])
        if self._labels is not None:
            table["id"] = table["id"].astype(int)
        return _files.frame(table)

    @property
    def consensus(self) -> Any:
        """For answers of several people: columns task, label and probability, a row per example."""
        types = {"task": str, "label": str, "probability": float}
        return _files.frame(_files.read_table(self.folder / "consensus.csv", types))

    @property
    def people(self) -> Any:
        """For answers of several people: columns worker, answers, accuracy, low, high and verdict, best first. The
        people's matrices are T_annotators.npy in the folder."""
        types = {"worker": str, "answers": int, "accuracy": float, "low": float, "high": float, "verdict": str}
        return _files.frame(_files.read_table(self.folder / "annotators.csv", types))

    @property
    def p_wrong(self) -> np.ndarray:
        """[N], in the order of the examples: the probability that the given label is wrong."""
        issues = self.issues
        by_name = dict(zip(map(str, issues["id"]), issues["p_wrong"]))
        return np.array([by_name[name] for name in self._corrected()["id"]])

    @property
    def labels_corrected(self) -> np.ndarray:
        """[N], in the order of the examples: people's answer, else the suggested class if it is offered
        (summary["changes"]), else the given label."""
        names = self._corrected()["label"]
        return names if self._labels is None else _files.as_given(names, self._labels)

    def _corrected(self) -> dict[str, np.ndarray]:
        return _files.read_table(self.folder / "labels_corrected.csv", {"id": str, "label": str})

    @property
    def html(self) -> str:
        """The self-contained page of the audit."""
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        import html

        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600" style="border:0"></iframe>'

    def review(self, *arguments: str) -> None:
        """Serves the page for checking labels until Ctrl-C."""
        process = subprocess.Popen([program(), "review", str(self.folder), *arguments])
        try:
            process.wait()
        except KeyboardInterrupt:
            process.wait()


def audit(
    labels: Sequence[Any] | None = None,
    pred_probs: Any = None,
    *,
    probabilities: Any = None,
    features: Any = None,
    path: str | Path | None = None,
    answers: Any = None,
    truth: Sequence[Any] | None = None,
    classes: Sequence[Any] | None = None,
    answers_from: str | Path | Sequence[str | Path] = (),
    out: str | Path | None = None,
    arguments: Sequence[str] = (),
    progress: bool = True,
) -> Audit:
    """Finds wrong labels.

    labels         [N], numbers or names; or the path of a file; None if path has them
    pred_probs     [N C], class probabilities by a model that did not see the example, as for cleanlab; also called
                   probabilities. No network is trained, and libtorch is not needed. The columns of a DataFrame are
                   named after the classes
    features       [N D], numbers to train networks on
    path           a folder of images, a table or an NPY file, instead of features
    answers        labels by several people, instead of labels: classes [N R], with -1, None, NaN, NA or masked if
                   person R gave none to example N; a list of tuples (task, worker, label); a DataFrame or dictionary
                   with the columns task, worker and label, or with one named after each person; or the path of a
                   table; with or without the other arguments
    truth          [N], true labels, if known (else None or -1): summary["measured"] compares with them
    classes        classes of the columns of pred_probs, if they are not 0 to C-1 or the sorted labels; some may
                   have no label
    answers_from   file, or files, of labels that people have checked: a sheet of `losscorr review --random --write`,
                   filled in, the folder of another audit, or a table with the columns id and label
    out            folder of the audit; a second audit of the same arrays resumes there; None: a temporary folder,
                   deleted with the result
    arguments      more arguments of `losscorr audit`, such as ["--folds", "5"]

    Raises Error with the program's message for bad data, and ValueError for wrong shapes.
    """
    if probabilities is not None and pred_probs is not None:
        raise ValueError("pred_probs and probabilities are the same argument: give one")
    probabilities = pred_probs if probabilities is None else probabilities
    given = [name for name, value in (("pred_probs", probabilities), ("features", features), ("path", path), ("answers", answers)) if value is not None]
    if not given or features is not None and path is not None:
        raise ValueError("give pred_probs, features, path or answers" if not given else "give either features or path, not both")
    keep = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="losscorr-")
        out = Path(keep.name) / "audit"
    work, command = Path(out) / "inputs", ["audit"]  # so that a second audit of the folder has the same files
    work.mkdir(parents=True, exist_ok=True)
    if path is not None:
        command.append(str(path))
    if features is not None:
        np.save(work / "features.npy", np.ascontiguousarray(features))
        command.append(str(work / "features.npy"))
    if isinstance(labels, (str, Path)):
        command += ["--labels", str(labels)]
        labels = None
    elif labels is not None:
        _files.write_labels(work / "labels.csv", labels, truth)
        command += ["--labels", str(work / "labels.csv")]
        if truth is not None:
            command += ["--truth", "truth"]
    if answers is not None:
        command += _answers.write(work, answers)
    if probabilities is not None:
        values = np.ascontiguousarray(probabilities)
        if values.ndim != 2:
            raise ValueError(f"pred_probs has shape {values.shape} instead of [N C]")
        classes = _files.column_names(labels, probabilities) if classes is None else classes
        np.save(work / "probabilities.npy", values)
        command += ["--probabilities", str(work / "probabilities.npy")]
        if classes is not None:
            _files.write_classes(work / "classes.txt", classes, values.shape[1])
            command += ["--classes", str(work / "classes.txt")]
    for file in [answers_from] if isinstance(answers_from, (str, Path)) else answers_from:
        command += ["--answers-from", str(file)]
    run(*command, "--out", str(out), *arguments, progress=progress)
    return Audit(out, labels, _keep=keep)


def estimate_T(labels: Sequence[Any], pred_probs: Any, *, classes: Sequence[Any] | None = None) -> np.ndarray:
    """Returns T-hat [C C], rows true classes, from labels [N] and out-of-sample probabilities [N C], in the order of
    their classes.

    cleanlab's noise_matrix is its transpose. The estimate is only as good as the probabilities.
    """
    classes = _files.column_names(labels, pred_probs) if classes is None else classes
    found = audit(labels, pred_probs, classes=classes, progress=False)
    if classes is None:
        return found.T  # in the order of the columns
    order = [found.classes.index(name) for name in _files.texts(classes)]
    return found.T[np.ix_(order, order)]
