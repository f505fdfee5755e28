"""Reads a folder's event files as TensorBoard does and prints each scalar's
name, step, wall time and value, one a line, and then each setting of the
hparams."""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util

events = EventAccumulator(sys.argv[1], size_guidance={"tensors": 0, "scalars": 0})
events.Reload()
tags = events.Tags()
for tag in sorted(tags["tensors"]):
    plugin = events.SummaryMetadata(tag).plugin_data.plugin_name
    if plugin == "hparams":  # it has no value
        continue
    for e in events.Tensors(tag):
        print(tag, plugin, e.step, f"{e.wall_time:.6f}", float(tensor_util.make_ndarray(e.tensor_proto)))
for tag in sorted(tags["scalars"]):
    for e in events.Scalars(tag):
        print(tag, "scalars", e.step, f"{e.wall_time:.6f}", e.value)

hparams = [e for e in events.summary_metadata.items() if e[1].plugin_data.plugin_name == "hparams"]
for tag, metadata in hparams:
    session = plugin_data_pb2.HParamsPluginData.FromString(metadata.plugin_data.content).session_start_info
    for name in sorted(session.hparams):
        value = session.hparams[name]
        print(tag, name, getattr(value, value.WhichOneof("kind")))
