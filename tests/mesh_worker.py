"""A mesh over the devices of two processes: prints losses and weights, which every process sees whole."""

from __future__ import annotations

import json
import sys

import mesh_programs

from wengert.distribute import Mesh, shard, sharding

mesh = Mesh({"data": 2}) if sys.argv[1] == "data" else Mesh({"model": 2})
network = mesh_programs.Network()
if sys.argv[1] == "data":
    found = network.train(lambda x: shard(x, mesh, "data"))
else:
    for weight, spec in zip(network.weights, [(None, "model"), "model", "model"], strict=True):
        shard(weight, mesh, spec)
    found = network.train(lambda x: shard(x, mesh, None))
    assert sharding(network.weights[0]) == (None, "model")
print("RESULT", json.dumps([x.ravel().tolist() for x in found]), flush=True)
