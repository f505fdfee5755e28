"""What the reference implementations make of texts and photos: python reference.py DIR WEIGHTS VOCAB PHOTO_WEIGHTS

Reads texts.json of DIR and writes tokens.json (tokenizers), features.npy of the first texts
(transformers), photos.npy (efficientnet-lite-pytorch, if there) and speed.json: texts and photos per
second of processor time, on one core, in float32 and in bfloat16.
"""

import json
import os
import sys
import time

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel

folder, weights, vocab, photo_weights = sys.argv[1:5]
asked = json.load(open(folder + "/texts.json"))
tokenizer = BertWordPieceTokenizer(vocab, lowercase=True)
tokenizer.enable_truncation(256)
tokens = []
for at in range(0, len(asked["texts"]), 2048):
    tokens += [e.ids for e in tokenizer.encode_batch(asked["texts"][at : at + 2048])]
with open(folder + "/tokens.json", "w") as f:
    json.dump(tokens, f)

torch.set_num_threads(1)
model = BertModel(BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536), add_pooling_layer=False).eval()
state = {k: v for k, v in load_file(weights).items() if not k.startswith("pooler.") and k != "embeddings.position_ids"}
model.load_state_dict(state)


def embed(ids):
    length = max(map(len, ids))
    x = torch.tensor([i + [0] * (length - len(i)) for i in ids])
    mask = (x != 0).long()
    h = model(input_ids=x, attention_mask=mask).last_hidden_state.float()
    mean = (h * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
    return torch.nn.functional.normalize(mean, dim=1)


def per_second(run, count):
    run()
    begun = time.process_time()
    run()
    return count / (time.process_time() - begun)


speed = {"torch": torch.__version__}
with torch.inference_mode():
    order = sorted(range(asked["compared"]), key=lambda k: len(tokens[k]))
    features = np.zeros((asked["compared"], 384), np.float32)
    for at in range(0, len(order), 32):
        rows = order[at : at + 32]
        features[rows] = embed([tokens[k] for k in rows]).numpy()
    np.save(folder + "/features.npy", features)
    batch = [[101] + [2000 + (37 * i + k) % 20000 for k in range(254)] + [102] for i in range(32)]
    speed["texts"] = per_second(lambda: embed(batch), 32)
    with torch.autocast("cpu", torch.bfloat16):
        speed["texts_bfloat16"] = per_second(lambda: embed(batch), 32)
    try:
        from efficientnet_lite_pytorch import EfficientNet
    except ImportError:
        EfficientNet = None
    if EfficientNet:
        net = EfficientNet.from_name("efficientnet-lite2", image_size=asked["side"]).eval()
        net.load_state_dict(torch.load(photo_weights, weights_only=True))
        pixels = np.fromfile(folder + "/pixels.bin", np.uint8).reshape(-1, 3, asked["side"], asked["side"])
        x = (torch.from_numpy(pixels).float() - 127.5) / 127.5
        look = lambda: net.extract_features(x).mean((2, 3))
        np.save(folder + "/photos.npy", look().numpy())
        speed["photos"] = per_second(look, len(x))
        with torch.autocast("cpu", torch.bfloat16):
            speed["photos_bfloat16"] = per_second(look, len(x))
with open(folder + "/speed.json", "w") as f:
    json.dump(speed, f)
os._exit(0)  # threads of the libraries may not end
