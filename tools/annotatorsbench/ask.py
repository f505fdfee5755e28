"""The order in which ActiveLab of cleanlab asks for one more answer, for annotatorsbench.

Standard input has a JSON object for each order: answers [[task, worker, label]], tasks, workers
and posteriors, an NPY file [N C]. Standard output has one for each: the version and the score of
each task, the lowest of those to ask about first.
"""

import json
import sys
import warnings

import cleanlab
import numpy as np
from cleanlab.multiannotator import get_active_learning_scores

warnings.filterwarnings("ignore")
out, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    asked = json.loads(line)
    answers = np.array(asked["answers"])
    wide = np.full((asked["tasks"], asked["workers"]), np.nan)
    wide[answers[:, 0], answers[:, 1]] = answers[:, 2]
    wide = wide[:, ~np.isnan(wide).all(0)]
    scores, _ = get_active_learning_scores(wide, np.load(asked["posteriors"]))
    json.dump({"version": cleanlab.__version__, "scores": scores.tolist()}, out)
    out.write("\n")
    out.flush()
