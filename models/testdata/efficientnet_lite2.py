"""Writes features of EfficientNet-Lite2 by the package efficientnet-lite-pytorch 0.1.0, float64, for
efficientnet_lite_test.go: of two images of 128 and of 130 pixels, every 16th of 1280 numbers.

    python efficientnet_lite2.py        (the file is from torch 2.11.0)

Weights and inputs are made as in generate.py.
"""

import pathlib
import zlib

import numpy as np
import torch
from efficientnet_lite_pytorch import EfficientNet
from safetensors.torch import save_file

torch.set_default_dtype(torch.float64)


def unit(name, n):
    with np.errstate(over="ignore"):
        z = (np.arange(n, dtype=np.uint64) + (np.uint64(zlib.crc32(name.encode())) << np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return torch.tensor((z >> np.uint64(11)).astype(np.float64) / 2**52 - 1)


out = {}
for side in (128, 130):
    net = EfficientNet.from_name("efficientnet-lite2", image_size=side).double().eval()
    with torch.no_grad():
        for name, t in net.state_dict().items():
            if name.endswith("num_batches_tracked") or name.startswith("_fc"):
                continue
            v = unit(name, t.numel()).reshape(t.shape)
            if t.dim() > 1:
                v = v * (6 / np.prod(t.shape[1:])) ** 0.5
            elif name.endswith(("running_var", "weight")):
                v = 1 + v / 4
            else:
                v = v / 10
            t.copy_(v)
        x = unit("x", 2 * 3 * side * side).reshape(2, 3, side, side)
        y = net.extract_features(x).mean((2, 3))
    print(side, y.std(), y.abs().max(), (y == 0).sum(), y.shape)
    out[str(side)] = y[:, ::16].contiguous()
save_file(out, pathlib.Path(__file__).parent / "efficientnet_lite2.safetensors")
