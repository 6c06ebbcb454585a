"""Checkpoints that know variables by their names alone, as tf.compat.v1.train.Saver writes them."""

from __future__ import annotations

from wengert.formats.bundles import BundleReader
from wengert.saving.object_graph import Node, Saved, View
from wengert.saving.restoration import Restoration
from wengert.state.variable import Variable


def of_names(bundle: BundleReader, view: View) -> Restoration:
    """The variables of a view get the values that the bundle has under their names."""
    nodes = [Node()]
    known: dict[str, int] = {}
    for name in bundle.names():
        known[name] = len(nodes)
        nodes.append(Node(saved=[Saved("VARIABLE_VALUE", name, name)]))
    nodes[0].children = dict(known)
    restoration = Restoration(bundle, nodes)
    found = []
    for value in view.objects:
        name = value.name.rpartition(":")[0] if isinstance(value, Variable) else ""
        if name in known:
            found.append((value, known[name]))
    restoration.take(found)
    return restoration
