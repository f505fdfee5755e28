"""Train networks despite wrong labels."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _files
from ._audit import Audit
from ._program import run


class Training:
    """Runs of `losscorr train`, in a folder.

    folder   path of the runs
    results  by loss: the run's result.json as a dictionary; "cross-entropy on corrected labels" with an audit. If a
             loss has several runs, their names include the seed: "cross-entropy, seed 2"
    """

    def __init__(self, folder: str | Path, runs: list[dict[str, Any]], _keep: Any = None):
        self.folder = Path(folder)
        done = [r["result"] for r in runs if r["state"] == "done"]
        self.results: dict[str, dict[str, Any]] = dict(zip(_names([r["config"] for r in done]), done))
        self._keep = _keep

    def weights(self, loss: str | None = None) -> dict[str, Any]:
        """Returns the weights of the selected epoch by name, by default of the last loss: tensors for load_state_dict
        if torch is installed, else arrays."""
        loss = list(self.results)[-1] if loss is None else loss
        file = self.folder / self.results[loss]["id"] / "checkpoints" / "best.safetensors"
        try:
            from safetensors.torch import load_file
        except ImportError:
            from safetensors.numpy import load_file
        return load_file(file)


def _name(config: dict[str, Any]) -> str:
    return config["loss"] + (" on corrected labels" if config.get("corrected") else "")


def _names(configs: list[dict[str, Any]]) -> list[str]:
    names = [_name(c) for c in configs]
    return [name if names.count(name) == 1 else f"{name}, seed {c['seed']}" for name, c in zip(names, configs)]


def train(
    path: str | Path | None = None,
    *settings: str,
    labels: Sequence[Any] | None = None,
    features: Any = None,
    audited: Audit | None = None,
    model: str | Path | None = None,
    out: str | Path | None = None,
    arguments: Sequence[str] = (),
    progress: bool = True,
) -> Training:
    """Trains with cross-entropy, then with forward correction by an estimated T or, with an audit, with cross-entropy
    on its corrected labels.

    path       a folder of images, a table, an NPY file; or features [N D]; neither: the audited data
    settings   such as "epochs=20"
    labels     [N], if path does not have them
    audited    an audit, to train on its corrected labels or, with the setting "loss=forward", to correct by its T-hat
    model      a network of the program, or FILE.pt2 written by torch.export.save
    out        folder of the runs; None: a temporary one, deleted with the result
    arguments  more arguments of `losscorr train`, such as ["--seeds", "1-3"]
    """
    if (features is not None or audited is not None) and isinstance(path, str) and "=" in path and not Path(path).exists():
        path, settings = None, (path, *settings)  # train("epochs=20", features=x)
    if path is not None and not isinstance(path, (str, Path)):
        raise ValueError("path is not a file or folder: give arrays as features")
    if path is not None and features is not None:
        raise ValueError("give either path or features, not both")
    if path is None and features is None and audited is None:
        raise ValueError("give path, features or audited")
    keep = tempfile.TemporaryDirectory(prefix="losscorr-")
    work, command = Path(keep.name), ["train"]
    if features is not None:
        path = work / "features.npy"
        np.save(path, np.ascontiguousarray(features))
    if path is not None:
        command.append(str(path))
    if labels is not None:
        _files.write_labels(work / "labels.csv", labels)
        command += ["--labels", str(work / "labels.csv")]
    if audited is not None:
        command += ["--audit", str(audited.folder)]
    if model is not None:
        command += ["--model", str(model)]
    folder = work / "runs" if out is None else Path(out)
    text = run(*command, *settings, "--out", str(folder), "--json", *arguments, progress=progress)
    return Training(folder, json.loads(text)["runs"], _keep=keep)
