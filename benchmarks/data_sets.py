"""Data sets of the benchmarks, and synthetic label noise."""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import SEED, losscorr, read_table, write_table

SENTIMENTS = ["neg", "pos"]
DIGITS = [str(k) for k in range(10)]
MNIST_FLIPS = {"2": "7", "3": "8", "5": "6", "6": "5", "7": "1"}
CIFAR10_FLIPS = {"truck": "automobile", "bird": "airplane", "deer": "horse", "cat": "dog", "dog": "cat"}


def mnist(data: Path, part: str = "train") -> tuple[np.ndarray, np.ndarray]:
    """Returns images [N 784] as bytes and the names of the digits; part is train or t10k."""

    def idx(name: str, header: int) -> np.ndarray:
        with gzip.open(data / "mnist" / f"{part}-{name}-ubyte.gz") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)

    return idx("images-idx3", 16).reshape(-1, 784), np.array(DIGITS)[idx("labels-idx1", 8)]


@dataclass
class Texts:
    """Texts with their names and true classes, each [N]."""

    ids: np.ndarray
    texts: np.ndarray
    truth: np.ndarray

    def part(self, rows: Sequence[int]) -> Texts:
        return Texts(self.ids[rows], self.texts[rows], self.truth[rows])


def reviews(data: Path, split: str) -> Texts:
    """Reads the labelled reviews of IMDB's split, train or test, sorted by name, such as test/neg/0_2."""
    found = []
    with tarfile.open(data / "imdb" / "aclImdb_v1.tar.gz") as archive:
        for member in archive:
            path = Path(member.name).parts[1:]
            if len(path) == 3 and path[0] == split and path[1] in SENTIMENTS and path[2].endswith(".txt"):
                text = archive.extractfile(member).read().decode()
                found.append(("/".join(path).removesuffix(".txt"), text, path[1]))
    return Texts(*(np.array(column, object) for column in zip(*sorted(found))))


def photos(folder: Path) -> tuple[list[str], np.ndarray]:
    """Returns the names CLASS/FILE and the classes of images in folders of classes."""
    names = sorted(str(p.relative_to(folder)) for p in folder.glob("*/*") if p.is_file())
    return names, np.array([name.split("/")[0] for name in names])


def symmetric(classes: Sequence[str], level: float) -> np.ndarray:
    c = len(classes)
    return np.full((c, c), level / (c - 1)) + (1 - level - level / (c - 1)) * np.eye(c)


def asymmetric(classes: Sequence[str], level: float, flips: dict[str, str]) -> np.ndarray:
    """Returns a T that moves a share of some classes to one other class each."""
    t, classes = np.eye(len(classes)), list(classes)
    for true, given in flips.items():
        k = classes.index(true)
        t[k, k], t[k, classes.index(given)] = 1 - level, level
    return t


def one_sided(neg: float, pos: float) -> np.ndarray:
    """Returns a T that makes these shares of the negative and positive labels wrong."""
    return np.array([[1 - neg, neg], [pos, 1 - pos]])


def noisify(truth: np.ndarray, t: np.ndarray, classes: Sequence[str], seed: int = SEED) -> np.ndarray:
    """Returns noisy labels drawn by T."""
    return np.asarray(losscorr.noisify(list(truth), t, classes=list(classes), seed=seed))


def write_texts(path: Path, texts: Texts, given: np.ndarray) -> list[str]:
    """Writes texts with given and true labels, and returns the arguments of losscorr audit."""
    write_table(path, ["id", "text", "label", "truth"], zip(texts.ids, texts.texts, given, texts.truth))
    return [str(path), "--text", "text", "--label", "label", "--id", "id", "--truth", "truth"]


def write_array(work: Path, name: str, x: np.ndarray, given: np.ndarray, truth: np.ndarray) -> list[str]:
    """Does the same for rows of an array."""
    np.save(work / f"{name}.npy", np.ascontiguousarray(x))
    table = write_table(work / f"{name}.csv", ["label", "truth"], zip(given, truth))
    return [str(work / f"{name}.npy"), "--labels", str(table), "--label", "label", "--truth", "truth"]


@dataclass
class People:
    """Features [N D] of examples, their true labels [N] and three people's labels [N 3]."""

    features: np.ndarray
    truth: np.ndarray
    answers: np.ndarray

    @property
    def classes(self) -> list[str]:
        return sorted(set(self.truth))


def people(features: Path, names: Path, labels: Path) -> People:
    """Reads features (NPY), the name of each row (text), and a CSV of file_name, truth and three columns of labels."""
    with open(labels, encoding="utf-8") as file:
        columns = file.readline().strip().split(",")
    of = {row[0]: row[1:] for row in read_table(labels, *columns)}
    rows = [of[name] for name in names.read_text().splitlines()]
    x = np.load(features)
    if len(x) != len(rows):
        raise SystemExit(f"{features} has {len(x)} rows, but {names} has {len(rows)} names")
    return People(x, np.array([r[0] for r in rows]), np.array([r[1:] for r in rows]))


@dataclass
class Mistakes:
    """Test labels judged by five people (Northcutt, Athalye and Mueller, 2021; files of the repository
    cleanlab/label-errors): how many chose the given label, and how many the guessed one. People saw only labels
    flagged by cleanlab, so rankings are compared on these."""

    posteriors: np.ndarray  # [N C], given
    given: np.ndarray  # [N], class numbers
    ids: list[str]  # [N]
    judged: np.ndarray  # [J], rows
    chose_given: np.ndarray  # [J]
    chose_guessed: np.ndarray  # [J]


def mistakes(folder: Path, data: str) -> Mistakes:
    """Reads cifar10 or imdb."""
    given = np.load(folder / f"{data}_test_set_original_labels.npy").astype(int)
    ids = [str(k) for k in range(len(given))]
    if data == "imdb":
        files = json.loads((folder / "imdb_test_set_index_to_filename.json").read_text())
        ids = ["test/" + name.removesuffix(".txt") for name in files]
    place = {name: k for k, name in enumerate(ids)}
    people = json.loads((folder / f"{data}_mturk.json").read_text())
    judged = np.array([place[str(x["id"])] for x in people])
    counts = np.array([(x["mturk"].get("given", 0), x["mturk"].get("guessed", 0)) for x in people])
    return Mistakes(np.load(folder / f"{data}_test_set_pyx.npy"), given, ids, judged, counts[:, 0], counts[:, 1])
