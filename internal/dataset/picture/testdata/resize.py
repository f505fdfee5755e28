"""Writes resize.txt: squares made by torch 2.11.0, for TestSquare.

Each line is width, height and side of the square, and its red, green and blue
planes in hexadecimal. torchvision's Resize is this interpolation, and its
CenterCrop this cut. Run in this folder.
"""

import torch
import torch.nn.functional as F


def pixels(width, height):
    x, y = torch.arange(width), torch.arange(height)[:, None]
    return torch.stack([(5 + 19 * x + 7 * y + 3 * x * y) % 256, (11 * x * x + 30 * y) % 256, (x * y + 40 * c_edge(x, y)) % 256])


def c_edge(x, y):
    return ((x // 3 + y // 4) % 2) * 5


def square(image, side):
    _, h, w = image.shape
    w, h = (side * w // h, side) if w > h else (side, side * h // w)
    image = F.interpolate(image[None].double(), (h, w), mode="bilinear", antialias=True)[0]
    left, top = round((w - side) / 2), round((h - side) / 2)
    return image[:, top : top + side, left : left + side].round().clamp(0, 255).byte()


with open("resize.txt", "w") as out:
    for width, height, side in [(30, 20, 8), (13, 41, 8), (9, 7, 24), (8, 8, 8), (47, 46, 11), (3, 64, 2), (1, 1, 4)]:
        values = square(pixels(width, height), side)
        print(width, height, side, bytes(values.flatten().tolist()).hex(), file=out)
