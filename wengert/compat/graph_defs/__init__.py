"""Graphs as TensorFlow's protocol buffers: GraphDef out and in.

protos     TensorFlow's messages, by the package protobuf
tensors    Arrays as TensorProto, and back
op_defs    The inputs, outputs and attributes of TensorFlow's operations
export     A graph as GraphDef
attributes    Attributes of nodes, as plain values
bodies        Attributes of branches and loops: their functions by name, what they take and give
descriptions  What an operation is, in TensorFlow's messages
checks     What a GraphDef must be before its nodes are added
importing  A GraphDef into a graph
old_control_flow  Branches and loops of version 1, of Switch, Merge, Enter and Exit
"""
