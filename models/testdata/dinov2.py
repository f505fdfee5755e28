"""Writes features of transformers' Dinov2Model for dinov2_test.go, float64: the class token after the
last normalisation, of images of the size that the positions are for, of a larger and of a smaller one.

    python dinov2.py      (the file is from transformers 5.24.0, torch 2.15.0)

Weights and pixels are made as in generate.py. The names are those of published files, as save_pretrained
writes them.
"""

import pathlib
import tempfile
import zlib

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import Dinov2Config, Dinov2Model


def unit(name, n):
    with np.errstate(over="ignore"):
        z = (np.arange(n, dtype=np.uint64) + (np.uint64(zlib.crc32(name.encode())) << np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return torch.tensor((z >> np.uint64(11)).astype(np.float64) / 2**52 - 1)


config = Dinov2Config(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, image_size=70, patch_size=14)
out = {}
with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    Dinov2Model(config).save_pretrained(folder)
    state = load_file(folder + "/model.safetensors")
    for name, t in state.items():
        v = unit(name, t.numel()).reshape(t.shape)
        if t.dim() > 1:
            v = v * (6 / np.prod(t.shape[1:])) ** 0.5
        elif name.endswith("weight"):
            v = 1 + v / 4
        else:
            v = v / 10
        state[name] = v
    save_file(state, folder + "/model.safetensors", {"format": "pt"})
    net = Dinov2Model.from_pretrained(folder, dtype=torch.float64).eval()
    for height, width in ((70, 70), (224, 224), (58, 45)):
        x = unit("x", 2 * 3 * height * width).reshape(2, 3, height, width)
        y = net(x).last_hidden_state[:, 0]
        out[f"{height}x{width}"] = y.contiguous()
        print(height, width, y.std(), y[0, :3], y.dtype)
    print(sorted(state))
save_file(out, pathlib.Path(__file__).parent / "dinov2.safetensors")
