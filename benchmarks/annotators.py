"""losscorr audit --answers compared with crowd-kit and cleanlab on data with several people's answers and the truth.

    python3 benchmarks/annotators.py --sentiment DIR --sentiment-features FILE \\
        --cifar10n DIR --cifar10n-features FILE --out results/annotators
    python3 benchmarks/annotators.py --only train --images 8000 ...

Needs numpy, pandas, cleanlab, crowd-kit. Sentiment (Rodrigues et al., 2013) has sentences.csv (task,text,truth) and
answers.csv (task,worker,label); CIFAR-10N (Wei et al., 2022) has labels.csv (file_name,truth,random1,random2,random3),
with a column per person. Features (NPY) are in the order of the sentences, or of the file names. The parts:

    consensus   the consensus of each method                                   benchmark.csv
    checks      400 times 100 random checks of the consensus                   checks.csv
    ask         answers bought 500 at a time, by several rules                 ask.csv
    train       networks trained on the answers, tested on true labels         train.csv
"""

from __future__ import annotations

import json
import shutil
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from common import (
    Audited, Results, audit, average_precision, losscorr, parser, program, read_table, shuffled_order, simulated_checks,
    workplace, write_table,
)

BOUGHT, PURCHASES = 500, 12
CHECKS, REPEATED = 100, 400
HELD_OUT = 0.2


@dataclass
class Crowd:
    """Answers [N R] of people, classes from 0 and -1 for none, with the truth [N] and features [N D]."""

    name: str
    answers: np.ndarray
    truth: np.ndarray
    features: np.ndarray
    classes: list[str]

    @property
    def list(self) -> np.ndarray:
        """Returns the answers [A 3] as task, worker and label."""
        tasks, workers = np.nonzero(self.answers >= 0)
        return np.stack([tasks, workers, self.answers[tasks, workers]], 1)

    def part(self, rows: np.ndarray) -> Crowd:
        rows = np.sort(rows)
        return replace(self, answers=self.answers[rows], truth=self.truth[rows], features=self.features[rows])

    def names(self, labels: np.ndarray) -> np.ndarray:
        return np.array(self.classes)[labels]


def sentiment(folder: Path, features: Path) -> Crowd:
    rows = read_table(folder / "sentences.csv", "task", "truth")
    place = {task: k for k, (task, _) in enumerate(rows)}
    given = read_table(folder / "answers.csv", "task", "worker", "label")
    workers = {name: k for k, name in enumerate(dict.fromkeys(worker for _, worker, _ in given))}
    answers = np.full((len(rows), len(workers)), -1)
    for task, worker, label in given:
        answers[place[task], workers[worker]] = int(label)
    return Crowd("sentiment", answers, np.array([int(y) for _, y in rows]), np.load(features), ["0", "1"])


def cifar10n(folder: Path, features: Path, most: int) -> Crowd:
    table = np.array(sorted(read_table(folder / "labels.csv", "file_name", "truth", "random1", "random2", "random3")))
    classes, x = sorted(set(table[:, 1])), np.load(features)
    if len(x) != len(table):
        raise SystemExit(f"{features} has {len(x)} rows instead of one for each of {len(table)} images")
    drawn = np.sort(np.random.default_rng((1, 0)).permutation(len(table))[:most])
    labels = np.searchsorted(classes, table[drawn, 1:])
    return Crowd("cifar10n", labels[:, 1:], labels[:, 0], x[drawn], classes)


class Bench:
    """The measurements on a data set."""

    def __init__(self, flags: Namespace):
        self.flags, self.work, self.audits = flags, workplace(flags.work), {}
        self.versions = {"cleanlab": version("cleanlab"), "crowdkit": version("crowd-kit")}
        self.results: dict[str, Results] = {}

    def add(self, file: str, row: dict[str, Any]) -> None:
        if file not in self.results:
            self.results[file] = Results(self.flags.out and self.flags.out / f"{file}.csv")
        self.results[file].add(row, **self.versions)

    def audit(self, data: Crowd) -> Audited:
        """Audits answers by a linear layer on the features, once per data set: all methods share its networks."""
        if data.name not in self.audits:
            folder = self.work / data.name
            folder.mkdir(exist_ok=True)
            np.save(folder / "X.npy", data.features)
            rows = [(task, f"person {worker}", data.classes[label]) for task, worker, label in data.list]
            answers = write_table(folder / "answers.csv", ["task", "worker", "label"], rows)
            arguments = [folder / "X.npy", "--answers", answers, "--model", "linear", "optimizer.weight_decay=.1"]
            self.audits[data.name] = audit(folder / "audit", *arguments)
        return self.audits[data.name]

    def consensus(self, data: Crowd) -> None:
        a = self.audit(data)
        g = np.load(a.folder / "noisy_probabilities.npy")
        right = float((g.argmax(1) == data.truth).mean())
        methods = (("transition", False), ("transition", True), ("dawid-skene", False), ("majority", False))
        for method, network in methods:
            begun = time.perf_counter()
            q = posterior(self.work, data.answers, g if network else None, "--method", method)["posterior"]
            seconds = a.seconds if network else time.perf_counter() - begun
            name = f"losscorr {method}" + (", with the network" if network else "")
            self.add_consensus(data, name, *judged(data, q), True, right if network else None, seconds)
        for name, label, doubt, answers, seconds in peers(data, g):
            crowdlab = name == "cleanlab CROWDLAB"
            self.add_consensus(data, name, label, doubt, answers, not crowdlab, right if crowdlab else None, seconds)

    def add_consensus(
        self, data: Crowd, method: str, label: np.ndarray, doubt: np.ndarray, answers: np.ndarray, calibrated: bool,
        network: float | None, seconds: float,
    ) -> None:
        """Adds a row for consensus labels, with scores for wrong labels and wrong answers."""
        tasks, _, given = data.list.T
        wrong, wrong_answers = label != data.truth, given != data.truth[tasks]

        def precision(score: np.ndarray, bad: np.ndarray) -> float:
            return average_precision(shuffled_order(-score, np.random.default_rng((1, len(score)))), bad)

        self.add("benchmark", {
            "data": data.name, "method": method, "answers": len(given), "wrong_answers": wrong_answers.mean(),
            "consensus_right": 1 - wrong.mean(), "ap_wrong_answers": precision(answers, wrong_answers),
            "ap_wrong_consensus": precision(doubt, wrong),
            "expected_over_true": doubt.sum() / wrong.sum() if calibrated else None,
            "network_right": network, "seconds": f"{seconds:.1f}",
        })

    def checks(self, data: Crowd) -> None:
        """Simulates losscorr review --random on the consensus of the audit."""
        a = self.audit(data)
        wrong = np.asarray(a.found.consensus["label"]) != data.names(data.truth)
        reply = simulated_checks(self.work, a.folder, wrong, [CHECKS], REPEATED, (1, 4))
        count, low, high = np.array([(c["wrong"], c["low"], c["high"]) for c in reply["counts"]]).T / wrong.sum()
        self.add("checks", {
            "data": data.name, "labels": len(wrong), "wrong": wrong.sum(), "checks": CHECKS, "repeated": REPEATED,
            "low_over_true": a.found.wrong.low / wrong.sum(), "high_over_true": a.found.wrong.high / wrong.sum(),
            "checks_over_true": count.mean(),
            "within_.8_to_1.25": ((count >= 0.8) & (count <= 1.25)).mean(),
            "covered": ((low <= 1) & (1 <= high)).mean(), "half_width_over_true": (high - low).mean() / 2,
            "off_over_true": np.abs(count - 1).mean(),
        })

    def ask(self, data: Crowd) -> None:
        """Simulates buying answers, always with the network of the first audit."""
        for draw in range(self.flags.seeds):
            first = Purchase.begin(data, draw)
            a = self.audit(replace(data, name=f"{data.name}-ask{draw}", answers=first.have))
            first.g = np.load(a.folder / "noisy_probabilities.npy")
            for name, rule in RULES.items():
                p = first.copy(draw)
                for k in range(PURCHASES + 1):
                    own, majority = p.right(self.work)
                    row = {"data": data.name, "rule": name, "draw": draw, "bought": k * BOUGHT}
                    row |= {"answers": (p.have >= 0).sum(), "consensus_right": own, "majority_right": majority}
                    self.add("ask", row)
                    if k < PURCHASES:
                        p.buy(rule(p, self.work)[:BOUGHT])

    def train(self, data: Crowd) -> None:
        """Trains on the answers to four fifths of the examples, and tests on the true labels of the rest."""
        for draw in range(self.flags.seeds):
            order = np.random.default_rng((draw, 3)).permutation(len(data.truth))
            held = int(HELD_OUT * len(order))
            test, train = data.part(order[:held]), data.part(order[held:])
            folder = self.work / f"{data.name}-train{draw}"
            a = self.audit(replace(train, name=folder.name))
            np.save(folder / "test.npy", test.features)
            labels = {"truth": train.names(train.truth), "test": test.names(test.truth)}
            labels["consensus"] = np.asarray(a.found.consensus["label"])
            for name, column in labels.items():
                (folder / f"{name}.txt").write_text("\n".join(column) + "\n")
            flags = ["--test", folder / "test.npy", "--test-labels", folder / "test.txt", "--seeds", draw + 1]
            labelled = ["loss=cross-entropy", "--labels"]
            for name, losses, arguments in (
                ("", {"answers": "answers", "cross-entropy": "majority", "soft": "soft"}, ["--audit", a.folder]),
                ("consensus", {"cross-entropy": "consensus"}, [*labelled, folder / "consensus.txt"]),
                ("truth", {"cross-entropy": "truth"}, [*labelled, folder / "truth.txt"]),
            ):
                arguments = list(map(str, [*flags, *arguments]))
                out = folder / f"runs{name}"
                trained = losscorr.train(folder / "X.npy", out=out, arguments=arguments, progress=False)
                found = {r["config"]["loss"]: r["last"]["test_accuracy"] for r in trained.results.values()}
                for loss, what in losses.items():
                    row = {"data": data.name, "labels": what, "draw": draw, "train_examples": len(train.truth)}
                    self.add("train", row | {"test_examples": len(test.truth), "accuracy": f"{found[loss]:.3f}"})
            shutil.rmtree(folder)  # the features are large


def posterior(work: Path, answers: np.ndarray, g: np.ndarray | None, *arguments: Any) -> dict[str, Any]:
    """Returns the program's consensus [N C] of answers and, with --ask, the next questions."""
    np.save(work / "answers.npy", answers.astype("float32"))
    if g is not None:
        np.save(work / "g.npy", g)
        arguments = ("--probabilities", work / "g.npy", *arguments)
    reply = json.loads(program("simulate", "answers", *arguments, work / "answers.npy"))
    return reply | {"posterior": np.array(reply["posterior"]).reshape(len(answers), -1)}


def judged(data: Crowd, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the labels of a consensus [N C], the probability that each is wrong, and that each answer is wrong."""
    label, (tasks, _, given) = q.argmax(1), data.list.T
    return label, 1 - q[np.arange(len(q)), label], 1 - q[tasks, given]


def peers(data: Crowd, g: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray, float]]:
    """Yields the labels, scores of wrong labels and of wrong answers, and seconds of crowd-kit's and cleanlab's
    methods."""
    import pandas as pd
    from cleanlab.multiannotator import get_label_quality_multiannotator
    from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote

    warnings.filterwarnings("ignore")
    frame = pd.DataFrame(data.list, columns=["task", "worker", "label"])
    for name, method in (
        ("majority", MajorityVote()), ("Dawid-Skene", DawidSkene(100)), ("GLAD", GLAD(100)),
        ("MACE", MACE(random_state=1)),
    ):
        begun = time.perf_counter()
        found = method.fit(frame).probas_
        seconds = time.perf_counter() - begun
        q = np.zeros((len(data.truth), len(data.classes)))
        q[found.index.values[:, None], found.columns.values[None, :]] = found.fillna(0).values
        yield (f"crowd-kit {name}", *judged(data, q), seconds)
    wide = pd.DataFrame(np.where(data.answers < 0, np.nan, data.answers))
    begun = time.perf_counter()
    found = get_label_quality_multiannotator(wide, g, verbose=False)
    seconds = time.perf_counter() - begun
    tasks, workers, _ = data.list.T
    label, each = found["label_quality"], found["detailed_label_quality"].to_numpy()
    doubt = 1 - label["consensus_quality_score"].to_numpy()
    yield "cleanlab CROWDLAB", label["consensus_label"].to_numpy(int), doubt, 1 - each[tasks, workers], seconds


Questions = list[tuple[int, "int | None"]]  # example, and whom to ask: None for anyone


@dataclass
class Purchase:
    """A simulation of buying answers: each example starts with one random answer; people's other answers are for
    sale, one per example at a time."""

    data: Crowd
    have: np.ndarray  # [N R]
    turn: np.ndarray  # [N R]; if anyone may answer, the person with the largest does
    rng: np.random.Generator
    g: np.ndarray | None = None

    @classmethod
    def begin(cls, data: Crowd, draw: int) -> Purchase:
        rng = np.random.default_rng((draw, 1))
        p = cls(data, np.full_like(data.answers, -1), rng.random(data.answers.shape), rng)
        p.buy(p.lowest(np.zeros(len(p.have))))
        return p

    def copy(self, draw: int) -> Purchase:
        return replace(self, have=self.have.copy(), rng=np.random.default_rng((draw, 2)))

    @property
    def for_sale(self) -> np.ndarray:
        return (self.data.answers >= 0) & (self.have < 0)

    def right(self, work: Path) -> tuple[float, float]:
        """Returns the shares of right labels: of losscorr with the network, and of the majority, with ties shared."""
        q = posterior(work, self.have, self.g)["posterior"]
        votes = np.stack([(self.have == k).sum(1) for k in range(len(self.data.classes))], 1)
        best = votes == votes.max(1, keepdims=True)
        majority = best[np.arange(len(votes)), self.data.truth] / best.sum(1)
        return float((q.argmax(1) == self.data.truth).mean()), float(majority.mean())

    def buy(self, questions: Questions) -> None:
        for task, worker in questions:
            if worker is None:
                worker = int((self.turn[task] * ((self.data.answers[task] >= 0) & (self.have[task] < 0))).argmax())
            self.have[task, worker] = self.data.answers[task, worker]

    def lowest(self, score: np.ndarray) -> Questions:
        """Returns questions to anyone about the examples with an answer for sale, lowest score first."""
        tasks = self.rng.permutation(np.flatnonzero(self.for_sale.any(1)))
        return [(int(task), None) for task in tasks[np.argsort(score[tasks], kind="stable")]]


def example_and_person(p: Purchase, work: Path) -> Questions:
    np.save(work / "may.npy", p.for_sale.astype("float32"))
    asked = posterior(work, p.have, p.g, "--ask", BOUGHT, "--may", work / "may.npy")["questions"]
    return [(q["Task"], q["Worker"]) for q in asked]


def example(p: Purchase, work: Path) -> Questions:
    gain = np.zeros(len(p.have))
    for q in posterior(work, p.have, p.g, "--ask", len(p.have))["questions"]:
        gain[q["Task"]] = q["Anyone"]
    return p.lowest(-gain)


def active_lab(p: Purchase, _: Path) -> Questions:
    from cleanlab.multiannotator import get_active_learning_scores

    warnings.filterwarnings("ignore")
    wide = np.where(p.have < 0, np.nan, p.have)
    return p.lowest(get_active_learning_scores(wide[:, (p.have >= 0).any(0)], p.g)[0])


def at_random(p: Purchase, _: Path) -> Questions:
    return p.lowest(np.zeros(len(p.have)))


RULES: dict[str, Callable[[Purchase, Path], Questions]] = {
    "losscorr, the example and the person": example_and_person, "losscorr, the example": example,
    "cleanlab ActiveLab": active_lab, "random": at_random,
}


def main() -> None:
    parts = ["consensus", "checks", "ask", "train"]
    p = parser(__doc__, parts)
    p.add_argument("--sentiment", type=Path, help="folder of Sentiment")
    p.add_argument("--sentiment-features", type=Path, help="NPY file of its features")
    p.add_argument("--cifar10n", type=Path, help="folder of CIFAR-10N")
    p.add_argument("--cifar10n-features", type=Path, help="NPY file of the features of CIFAR-10's training images")
    p.add_argument("--images", type=int, default=24_000, help="images drawn from CIFAR-10N")
    p.add_argument("--seeds", type=int, default=5, help="draws of first answers and of splits")
    flags = p.parse_args()
    bench = Bench(flags)
    for read in (
        flags.sentiment and (lambda: sentiment(flags.sentiment, flags.sentiment_features)),
        flags.cifar10n and (lambda: cifar10n(flags.cifar10n, flags.cifar10n_features, flags.images)),
    ):
        if read:
            data = read()
            for part in flags.only:
                getattr(bench, part)(data)


if __name__ == "__main__":
    main()
