"""Audits of few texts, where networks are weak, before and after 100 random checks.

    python3 benchmarks/few_texts.py few --out results/audit/few.csv
    python3 benchmarks/few_texts.py topics --packages debian --out results/audit/topics.csv
    python3 benchmarks/few_texts.py sentences --sentiment DIR --out results/human/sentences.csv

Needs numpy. few draws reviews of IMDB (--data). topics uses descriptions of Debian packages: --packages has the
unpacked files Packages and Translation-en of a release. sentences labels each sentence of film reviews (Rodrigues et
al., 2013) by one person's answer: --sentiment has sentences.csv (task,text,truth) and answers.csv
(task,worker,label).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import Audited, Results, audit, check, generator, parser, read_table, workplace
from data_sets import SENTIMENTS, Texts, noisify, one_sided, reviews, symmetric, write_texts

CHECKS = 100
DRAWS = 3
KINDS = [  # name, shares of negative and positive labels made wrong, number of first words kept (0: all)
    ("none", 0, 0, 0), ("symmetric 0.2", 0.2, 0.2, 0), ("30 % of neg", 0.3, 0, 0), ("45 % of neg", 0.45, 0, 0),
    ("10 % of neg, 30 % of pos", 0.1, 0.3, 0), ("25 words, none", 0, 0, 25), ("25 words, symmetric 0.1", 0.1, 0.1, 25),
    ("25 words, 30 % of neg", 0.3, 0, 25),
]
TOPICS = {  # Debian's sections, each with the target of its labels under asymmetric noise
    "admin": "net", "database": "admin", "editors": "text", "electronics": "science", "fonts": "text",
    "games": "graphics", "graphics": "video", "mail": "web", "math": "science", "net": "admin",
    "science": "math", "sound": "video", "text": "editors", "video": "graphics", "web": "net",
}
SHORTEST = 80  # characters of a description

Case = tuple[str, int, Texts, np.ndarray, list[str]]  # noise, draw, texts, given labels, arguments


def few(data: Path) -> Iterator[Case]:
    texts = reviews(data, "train")
    for examples in (1000, 3000, 8000):
        for noise, neg, pos, words in KINDS:
            if words and examples != 3000:
                continue
            for draw in range(1 if examples == 8000 else DRAWS):
                some = texts.part(generator(examples + draw).permutation(len(texts.ids))[:examples])
                if words:
                    some.texts = np.array([" ".join(text.split()[:words]) for text in some.texts], object)
                yield noise, draw + 1, some, noisify(some.truth, one_sided(neg, pos), SENTIMENTS), ["--view", "tfidf"]


def topics(folder: Path) -> Iterator[Case]:
    texts, classes = read_topics(folder), sorted(TOPICS)
    goes_to = np.eye(len(classes))[[classes.index(TOPICS[c]) for c in classes]]
    for examples in (1000, 3000):
        for noise, t in (
            ("none", np.eye(len(classes))), ("symmetric 0.2", symmetric(classes, 0.2)),
            ("symmetric 0.4", symmetric(classes, 0.4)),
            ("asymmetric 0.3", 0.7 * np.eye(len(classes)) + 0.3 * goes_to),
        ):
            for draw in range(1 if examples == 3000 else DRAWS):
                some = texts.part(generator(examples + draw).permutation(len(texts.ids))[:examples])
                yield noise, draw + 1, some, noisify(some.truth, t, classes), []


def sentences(folder: Path) -> Iterator[Case]:
    of = defaultdict(list)
    for task, label in read_table(folder / "answers.csv", "task", "label"):
        of[task].append(SENTIMENTS[int(label)])
    rows = [row for row in read_table(folder / "sentences.csv", "task", "text", "truth") if of[row[0]]]
    ids, texts, truth = (np.array(column, object) for column in zip(*rows))
    all_texts = Texts(ids, texts, np.array([SENTIMENTS[int(y)] for y in truth], object))
    for draw in range(DRAWS):
        rng = generator(draw)
        given = np.array([of[task][rng.integers(len(of[task]))] for task in ids], object)
        yield "one person's answer", draw + 1, all_texts, given, ["--view", "tfidf"]


def read_topics(folder: Path) -> Texts:
    """Returns the description of one package for each source and section, in the order of Packages."""
    long = {s.get("Description-md5"): s.get("Description-en", "") for s in stanzas(folder / "Translation-en")}
    seen, rows = set(), []
    for s in filter(None, stanzas(folder / "Packages")):
        source, section = (s.get("Source") or s["Package"]).split(" ")[0], s.get("Section")
        description = " ".join(long.get(s.get("Description-md5"), "").replace("\n .", "\n").split())
        if section in TOPICS and len(description) >= SHORTEST and (source, section) not in seen:
            seen.add((source, section))
            rows.append((s["Package"], description, section))
    return Texts(*(np.array(column, object) for column in zip(*rows)))


def stanzas(file: Path) -> Iterator[dict[str, str]]:
    """Reads a file of Debian's control data."""
    for text in file.read_text(encoding="utf-8").split("\n\n"):
        yield dict(re.findall(r"^([^\s:]+): *(.*(?:\n .*)*)", text, re.MULTILINE))


def findings(a: Audited, truth: np.ndarray) -> dict[str, Any]:
    """Compares an audit with the truth."""
    m, after = a.summary["measured"], int((a.found.labels_corrected != truth).sum())
    return {**a.found.wrong._asdict(), "average_precision": m["average_precision"], "f1": m["f1"], "wrong_after": after}


def measure(work: Path, case: Case) -> dict[str, Any]:
    """Audits texts, checks random labels against the truth, and audits again with the answers."""
    noise, draw, texts, given, view = case
    arguments = [*write_texts(work / "texts.csv", texts, given), *view]
    a = audit(work / "audit", *arguments)
    row = {"noise": noise, "draw": draw, "examples": len(given), "wrong": (given != texts.truth).sum()}
    row |= findings(a, texts.truth)
    del row["estimate"]  # which random checks compute
    checked = findings(check(a, CHECKS, dict(zip(texts.ids, texts.truth)), *arguments), texts.truth)
    return row | {f"checked_{name}": value for name, value in checked.items()}


def main() -> None:
    p = parser(__doc__)
    p.add_argument("part", choices=["few", "topics", "sentences"])
    p.add_argument("--packages", type=Path, help="folder of Packages and Translation-en")
    p.add_argument("--sentiment", type=Path, help="folder of sentences.csv and answers.csv")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    parts = {"few": (few, flags.data), "topics": (topics, flags.packages), "sentences": (sentences, flags.sentiment)}
    part, folder = parts[flags.part]
    if folder is None:
        p.error(f"{flags.part} needs the folder of its data")
    for case in part(folder):
        results.add(measure(work, case))


if __name__ == "__main__":
    main()
