"""Consensus labels by crowd-kit and cleanlab, for annotatorsbench.

Standard input is JSON: answers [[task, worker, label]], tasks, classes, posteriors, an NPY
file [N C] or "", and without, names of methods that are left out. Standard output is JSON: the versions, and for each method its class
probabilities or quality by task ("consensus": label and doubt) and the doubt of each answer.
"""

import json
import sys
import time
import warnings

import cleanlab
import crowdkit
import numpy as np
import pandas as pd
from cleanlab.multiannotator import get_label_quality_multiannotator
from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote
from importlib.metadata import version

warnings.filterwarnings("ignore")
asked = json.load(sys.stdin)
answers = np.array(asked["answers"])
n, c = asked["tasks"], asked["classes"]
frame = pd.DataFrame(answers, columns=["task", "worker", "label"])
methods = []


def probabilities(name, q, seconds):
    label = q.argmax(1)
    methods.append({
        "name": name, "seconds": seconds, "probabilities": True,
        "label": label.tolist(), "doubt": (1 - q[np.arange(n), label]).tolist(),
        "answers": (1 - q[answers[:, 0], answers[:, 2]]).tolist(),
    })


for name, make in {
    "crowd-kit majority": MajorityVote, "crowd-kit Dawid-Skene": lambda: DawidSkene(100),
    "crowd-kit GLAD": lambda: GLAD(100), "crowd-kit MACE": lambda: MACE(random_state=1),
}.items():
    if name in asked["without"]:
        continue
    begun = time.time()
    found = make().fit(frame).probas_
    q = np.zeros((n, c))
    q[found.index.values[:, None], found.columns.values[None, :]] = found.fillna(0).values
    probabilities(name, q, time.time() - begun)

if asked["posteriors"]:
    g = np.load(asked["posteriors"])
    wide = frame.pivot(index="task", columns="worker", values="label").reindex(range(n))
    begun = time.time()
    found = get_label_quality_multiannotator(wide, g, verbose=False)
    label = found["label_quality"]
    each = found["detailed_label_quality"]
    column = {name: k for k, name in enumerate(wide.columns)}
    values = each.to_numpy()
    methods.append({
        "name": "cleanlab CROWDLAB", "seconds": time.time() - begun, "probabilities": False,
        "label": label["consensus_label"].astype(int).tolist(), "doubt": (1 - label["consensus_quality_score"]).tolist(),
        "answers": [1 - float(values[t, column[w]]) for t, w, _ in answers.tolist()],
    })

json.dump({"cleanlab": cleanlab.__version__, "crowdkit": version("crowd-kit"), "methods": methods}, sys.stdout)
