"""The page of the package runs word for word; test_cleanlab.py runs its table."""

import re
from pathlib import Path

import losscorr
import numpy as np

page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def test_page_runs():
    (program,) = re.findall(r"```python\n# audit.py\n(.*?)```", page, re.S)
    values = {}
    exec(compile(program, "docs/python.md", "exec"), values)
    found, truth, labels = values["found"], values["truth"], values["labels"]
    assert found.summary["measured"]["average_precision"] > 0.99
    assert np.abs(found.T - values["T"]).max() < 0.1
    assert abs(found.flagged - (labels != truth).sum()) < 100
