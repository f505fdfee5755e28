"""Audits by out-of-fold probabilities of strong networks, compared with cleanlab.

    python3 benchmarks/strong_networks.py --sets DIR --out results/audit/strong-networks.csv

Needs numpy, cleanlab. DIR has NAME-NETWORK.npz with probabilities [N C], labels [N] and truth [N], class numbers.
Random checks are simulated with the true labels: 200 reviews for each number of checks, 20 of them with F1.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from common import SEED, Results, average_precision, cleanlab_scores, f1, losscorr, parser, simulated_checks, workplace

CHECKS = (25, 50, 100, 200)
PARTS, REPEATED = 10, 20  # the program prints p_wrong of all labels after each review


def reviewed(work: Path, folder: Path, wrong: np.ndarray) -> dict[str, float]:
    """Simulates reviews of an audit."""
    row, total = {}, wrong.sum()
    for checks in CHECKS:
        counts, scores = [], []
        for part in range(PARTS):
            for c in simulated_checks(work, folder, wrong, [checks], REPEATED, (SEED, part))["counts"]:
                counts.append((c["wrong"], c["low"], c["high"]))
                if part == 0 and checks in (25, 100):
                    scores.append(f1(np.array(c["p_wrong"]) > 0.5, wrong))
        count, low, high = np.array(counts).T
        if scores:
            row[f"checks_{checks}_f1"] = np.mean(scores)
        if checks == 50:
            row |= {"checks_50_wrong": count.mean(), "checks_50_deviation": count.std(ddof=1)}
        row[f"checks_{checks}_coverage"] = ((low <= total) & (total <= high)).mean()
        if checks == 100:
            row["checks_100_half_width"] = (high - low).mean() / 2
    return row


def measure(work: Path, path: Path) -> dict[str, Any]:
    data = np.load(path)
    given, truth, p = data["labels"].astype(int), data["truth"], data["probabilities"].astype("float64")
    p /= p.sum(1, keepdims=True)
    wrong, begun = given != truth, time.perf_counter()
    found = losscorr.audit(given, pred_probs=p, classes=range(p.shape[1]), out=work / path.stem, progress=False)
    seconds, corrected = time.perf_counter() - begun, found.labels_corrected
    name, network = path.stem.rsplit("-", 1)
    row = {"labels": name, "network": network, "examples": len(given), "wrong": wrong.sum()}
    row |= {"low": found.wrong.low, "high": found.wrong.high, "f1": f1(found.p_wrong > 0.5, wrong)}
    row["average_precision"] = average_precision(np.asarray(found.issues["id"]), wrong)
    row |= reviewed(work, found.folder, wrong)
    other = cleanlab_scores(p, given, wrong)
    row |= {name: other[name] for name in ("cleanlab_f1", "cleanlab_self_confidence", "cleanlab")}
    row |= {"argmax_f1": f1(p.argmax(1) != given, wrong), "changed": (corrected != given).sum()}
    return row | {"wrong_after": (corrected != truth).sum(), "seconds": f"{seconds:.1f}"}


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--sets", type=Path, required=True, help="folder of NAME-NETWORK.npz")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for path in sorted(flags.sets.glob("*.npz")):
        results.add(measure(work, path))


if __name__ == "__main__":
    main()
