"""Writes weights.pth, for pickle_test.go, as torch.save did before version 1.6, and archive.pth as it does since (the
files are from torch 2.11.0)."""

import collections
import pathlib

import torch

x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
state = collections.OrderedDict(a=x, transposed=x.t(), part=x[1:, 1:3], number=torch.tensor(2.5), count=torch.tensor(7))
state._metadata = {"": {"version": 1}}
torch.save(state, pathlib.Path(__file__).parent / "weights.pth", _use_new_zipfile_serialization=False)
torch.save(state, pathlib.Path(__file__).parent / "archive.pth")
