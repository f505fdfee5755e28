"""Find wrong labels and train through them: the program losscorr, called from Python.

    import losscorr

    found = losscorr.audit(labels, pred_probs=probabilities)      # [N], [N C], out of sample
    found.issues                                                  # worst first
    found.wrong, found.T                                          # T[i][j] = P(given j | true i)

Arrays and results are exchanged with the program through files in a temporary folder.
"""

from ._accept import Acceptance, Example, accept
from ._audit import Audit, Wrong, audit, estimate_T
from ._noise import noisify
from ._program import Error, program
from ._train import Training, train

__all__ = [
    "Acceptance", "Audit", "Error", "Example", "Training", "Wrong", "accept", "audit", "estimate_T", "noisify", "program",
    "train",
]
