"""Reads a folder's event files as TensorBoard does and prints each scalar's
name, step, wall time and value, one a line."""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

events = EventAccumulator(sys.argv[1], size_guidance={"tensors": 0, "scalars": 0})
events.Reload()
tags = events.Tags()
for tag in sorted(tags["tensors"]):
    plugin = events.SummaryMetadata(tag).plugin_data.plugin_name
    for e in events.Tensors(tag):
        print(tag, plugin, e.step, f"{e.wall_time:.6f}", float(tensor_util.make_ndarray(e.tensor_proto)))
for tag in sorted(tags["scalars"]):
    for e in events.Scalars(tag):
        print(tag, "scalars", e.step, f"{e.wall_time:.6f}", e.value)
