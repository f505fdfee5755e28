"""Which labels are likely wrong."""

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

    low, high  90 % interval of the estimate; without one, the range that the two kinds of mistakes leave open
    estimate   by random checks; None without enough of them
    """

    low: float
    high: float
    estimate: float | None


class Audit:
    """The result of an audit, in a folder that `losscorr review` and `losscorr train --audit` also take.

    folder     path of the audit's files
    summary    summary.json as a dictionary
    verdict    the result in a sentence
    wrong      the number of wrong labels: low, high, estimate
    flagged    number of labels with p_wrong above .5
    classes    names, in the order of T
    T          [C C], T[i][j] = P(given label j | true class i), as far as mistakes depend on the class
    warnings   texts for people, the most important first
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
        self._keep = _keep  # the temporary folder, which goes with this

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
        """Columns id, given, suggested (the likeliest other class, or what people say), p_wrong and unusual (NaN
        without features), the worst first: a pandas DataFrame where pandas is installed, else a dictionary of arrays.
        id is the example's place, from 0, where the data has no names of its own."""
        types = {"id": str, "given": str, "suggested": str, "p_wrong": float, "unusual": float}
        table = _files.read_table(self.folder / "issues.csv", types, optional=["unusual"])
        if self._labels is not None:
            table["id"] = table["id"].astype(int)
        return _files.frame(table)

    @property
    def consensus(self) -> Any:
        """Of several people's answers: columns task, label and probability of each example."""
        types = {"task": str, "label": str, "probability": float}
        return _files.frame(_files.read_table(self.folder / "consensus.csv", types))

    @property
    def people(self) -> Any:
        """Of several people's answers: columns worker, answers, accuracy, low, high and verdict, the best first. Their
        matrices are T_annotators.npy in the folder."""
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
        """[N], in the order of the examples: what people say, else the suggested class where it is offered
        (summary["changes"]), else the given label."""
        names = self._corrected()["label"]
        return names if self._labels is None else _files.as_given(names, self._labels)

    def _corrected(self) -> dict[str, np.ndarray]:
        return _files.read_table(self.folder / "labels_corrected.csv", {"id": str, "label": str})

    @property
    def html(self) -> str:
        """The page of the audit, which needs no other file."""
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        import html

        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600" style="border:0"></iframe>'

    def review(self, *arguments: str) -> None:
        """Serves the page on which people check labels; returns when it is ended with Ctrl-C."""
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
    """Finds the wrong ones among labels.

    labels         [N], numbers or names; or the path of a file; None where path has them
    pred_probs     [N C], probabilities of the classes by a model that did not see the example, as cleanlab's;
                   probabilities is another name for it. No network is trained, and no libtorch is needed. The
                   columns of a DataFrame are named after the classes
    features       [N D], numbers by which to train networks
    path           a folder of images, a table, an NPY file, in place of features
    answers        labels of several people, in place of labels: classes [N R], with -1, None, NaN, NA or masked where
                   person R gave none to example N; a list of tuples (task, worker, label); a DataFrame or dictionary
                   with the columns task, worker and label, or with one named after each person; or the path of a
                   table; alone or beside the others
    truth          [N], true labels, where they are known (else None or -1): summary["measured"] compares with them
    classes        classes of the columns of pred_probs, where they are not 0 to C-1 or the sorted labels; some may
                   have no label
    answers_from   file, or files, of labels that people have checked: a sheet of `losscorr review --random --write`,
                   filled in, the folder of another audit, or a table with the columns id and label
    out            folder of the audit, in which a second one of the same arrays resumes; None: a temporary one that
                   goes with the result
    arguments      more arguments of `losscorr audit`, such as ["--folds", "5"]

    Raises Error with the program's message where the data is at fault, ValueError where the shapes are.
    """
    if probabilities is not None and pred_probs is not None:
        raise ValueError("pred_probs and probabilities are the same: give one")
    probabilities = pred_probs if probabilities is None else probabilities
    given = [name for name, value in (("pred_probs", probabilities), ("features", features), ("path", path), ("answers", answers)) if value is not None]
    if not given or features is not None and path is not None:
        raise ValueError("give pred_probs, features, path or answers" if not given else "features and path are both the examples: give one")
    keep = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="losscorr-")
        out = Path(keep.name) / "audit"
    work, command = Path(out) / "inputs", ["audit"]  # in their place, so that a second audit of the folder is of the same files
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
            raise ValueError(f"pred_probs has shape {values.shape}, want [N C]")
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
    """Returns T-hat [C C], rows true classes, of labels [N] and out-of-sample probabilities [N C], in whose order
    the classes are.

    cleanlab's noise_matrix is its transpose. Of weak probabilities it is a poor estimate.
    """
    classes = _files.column_names(labels, pred_probs) if classes is None else classes
    found = audit(labels, pred_probs, classes=classes, progress=False)
    if classes is None:
        return found.T  # the columns are in the order of its classes
    order = [found.classes.index(name) for name in _files.texts(classes)]
    return found.T[np.ix_(order, order)]
