"""Writes answers.csv and dawid_skene.csv: drawn answers, and what crowd-kit makes of them.

    pip install crowd-kit==1.4.2 && python dawid_skene.py
"""

import csv
import random

import pandas
from crowdkit.aggregation import DawidSkene

rng = random.Random(1)
skills = [0.5, 0.6, 0.7, 0.7, 0.8, 0.9, 0.95]
rows = []
for task in range(200):
    truth = rng.choices(range(3), [5, 3, 2])[0]
    for worker in sorted(rng.sample(range(len(skills)), 3)):
        right = rng.random() < skills[worker]
        rows.append((task, worker, truth if right else (truth + rng.choice([1, 1, 2])) % 3))
frame = pandas.DataFrame(rows, columns=["task", "worker", "label"])
found = DawidSkene(100).fit(frame).probas_.sort_index()[[0, 1, 2]]
with open("answers.csv", "w", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows(rows)
with open("dawid_skene.csv", "w", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows([f"{v:.6f}" for v in row] for row in found.values.tolist())
