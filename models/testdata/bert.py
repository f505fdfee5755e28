"""Writes features of transformers' BertModel for bert_test.go, float64: the mean of the tokens' last
vectors, scaled to length 1, of texts of 9, 4 and 1 tokens.

    python bert.py        (the file is from transformers 5.24.0, torch 2.15.0)

Weights and token ids are made as in generate.py.
"""

import pathlib
import zlib

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel


def unit(name, n):
    with np.errstate(over="ignore"):
        z = (np.arange(n, dtype=np.uint64) + (np.uint64(zlib.crc32(name.encode())) << np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return torch.tensor((z >> np.uint64(11)).astype(np.float64) / 2**52 - 1)


config = BertConfig(vocab_size=211, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, max_position_embeddings=32)
net = BertModel(config, add_pooling_layer=False).double().eval()
with torch.no_grad():
    for name, t in net.state_dict().items():
        if t.dtype != torch.float64:
            continue
        v = unit(name, t.numel()).reshape(t.shape)
        if t.dim() > 1:
            v = v * (6 / np.prod(t.shape[1:])) ** 0.5
        elif name.endswith("weight"):
            v = 1 + v / 4
        else:
            v = v / 10
        t.copy_(v)
    x = ((unit("x", 3 * 9) + 1) / 2 * 210).long().reshape(3, 9) + 1
    mask = torch.ones_like(x)
    for row, length in enumerate((9, 4, 1)):
        x[row, length:], mask[row, length:] = 0, 0
    h = net(input_ids=x, attention_mask=mask).last_hidden_state
    y = (h * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
    y = torch.nn.functional.normalize(y, dim=1)
print(y.std(), y.shape)
save_file({"features": y[:, ::8].contiguous()}, pathlib.Path(__file__).parent / "bert.safetensors")
