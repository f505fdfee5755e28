"""The encoders compared with reference implementations of the same weights: features, and examples per second.

    python3 benchmarks/encoders.py --out results/audit/encoders.csv

Needs numpy, torch, pillow, efficientnet-lite-pytorch, and for texts transformers, safetensors, tokenizers and IMDB in
--data; the weights come from `losscorr encoders get`. An encoder is left out if something is missing. Differences are
between features in float32, relative to the largest feature. Rates use processor time: the program's include start and
reading, and use bfloat16 if the processor has it; PyTorch's are for both precisions.
"""

from __future__ import annotations

import resource
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import SEED, Results, parser, program, workplace
from data_sets import reviews, write_texts
from PIL import Image

TEXTS, PHOTOS, SIDE = 1000, 1000, 128


def photos(flags: Namespace, work: Path) -> tuple[list[Any], Callable[[], np.ndarray]]:
    """Returns the program's arguments for photos of noise, and the reference."""
    import torch
    from efficientnet_lite_pytorch import EfficientNet

    pixels = np.random.default_rng(SEED).integers(256, size=(PHOTOS, SIDE, SIDE, 3)).astype(np.uint8)
    for k, image in enumerate(pixels):
        (work / "photos" / str(k % 2)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(work / "photos" / str(k % 2) / f"{k:04}.png")
    net = EfficientNet.from_name("efficientnet-lite2", image_size=SIDE).eval()
    net.load_state_dict(torch.load(weights("efficientnet-lite2")))
    order = [*range(0, PHOTOS, 2), *range(1, PHOTOS, 2)]  # class by class
    x = (torch.from_numpy(pixels[order]).permute(0, 3, 1, 2).float() - 127.5) / 127.5
    reference = lambda: torch.cat([net.extract_features(part).mean((2, 3)) for part in x.split(32)]).float().numpy()  # noqa: E731
    return [work / "photos", "--view", "efficientnet-lite2", "--side", SIDE], reference


def texts(flags: Namespace, work: Path) -> tuple[list[Any], Callable[[], np.ndarray]]:
    """Returns the program's arguments for reviews of IMDB, and the reference."""
    import torch
    from safetensors.torch import load_file
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel

    some = reviews(flags.data, "train")
    some = some.part(np.arange(TEXTS) * len(some.ids) // TEXTS)
    path = Path(weights("minilm"))
    config = BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict(load_file(path), strict=False)  # the file also has a pooler
    tokenizer = BertWordPieceTokenizer(str(next(path.parent.glob("minilm-*.txt"))), lowercase=True)
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()

    def reference() -> np.ndarray:
        parts = []
        for begin in range(0, TEXTS, 32):
            batch = tokenizer.encode_batch(list(some.texts[begin : begin + 32]))
            ids, mask = torch.tensor([e.ids for e in batch]), torch.tensor([e.attention_mask for e in batch])
            h = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            mean = (h * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
            parts.append(torch.nn.functional.normalize(mean, dim=1))
        return torch.cat(parts).numpy()

    return [*write_texts(work / "texts.csv", some, some.truth)[:-2], "--view", "minilm"], reference


def weights(encoder: str) -> str:
    return program("encoders", "get", encoder).splitlines()[0]


def measure(flags: Namespace, work: Path) -> Iterator[dict[str, Any]]:
    import torch

    torch.set_num_threads(1)
    for name, encoder in (("minilm", texts), (f"efficientnet-lite2 at {SIDE}", photos)):
        try:
            arguments, reference = encoder(flags, work)
        except (ImportError, OSError, RuntimeError) as missing:
            print(f"{name} is left out: {missing}")
            continue
        command = ["simulate", "features", *arguments, "--out", work / "features.npy"]
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        program(*command)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime - begun.ru_utime - begun.ru_stime
        program(*command, ONEDNN_MAX_CPU_ISA="AVX2")  # without bfloat16
        got = np.load(work / "features.npy")
        with torch.inference_mode():
            rates = []
            for half in (True, False):
                begun = time.process_time()
                with torch.autocast("cpu", torch.bfloat16, enabled=half):
                    want = reference()
                rates.append(len(got) / (time.process_time() - begun))
        yield {
            "encoder": name, "examples": len(got),
            "largest_difference": f"{np.abs(want - got).max() / np.abs(want).max():.2g}",
            "per_second": f"{len(got) / seconds:.1f}", "pytorch_per_second": f"{rates[1]:.1f}",
            "pytorch_bfloat16_per_second": f"{rates[0]:.1f}", "pytorch": torch.__version__,
        }


def main() -> None:
    flags = parser(__doc__).parse_args()
    results = Results(flags.out)
    for row in measure(flags, workplace(flags.work)):
        results.add(row)


if __name__ == "__main__":
    main()
