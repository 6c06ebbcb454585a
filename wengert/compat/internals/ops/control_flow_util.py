"""tensorflow.python.ops.control_flow_util: branches and loops, which are always functions here."""

from typing import Any

ENABLE_CONTROL_FLOW_V2 = True


def _is(*types: str) -> Any:
    return lambda op: op.type in types


IsSwitch = _is("Switch", "RefSwitch")
IsMerge = _is("Merge", "RefMerge")
IsLoopEnter = _is("Enter", "RefEnter")
IsLoopExit = _is("Exit", "RefExit")


def _never(op: Any) -> bool:
    """No: branches and loops are operations with functions, and have no such parts."""
    return False


IsCondSwitch = IsCondMerge = IsLoopSwitch = IsLoopMerge = IsLoopConstantEnter = _never


def EnableControlFlowV2(graph: Any) -> bool:
    """True."""
    return True


def InXlaContext(graph: Any) -> bool:
    """No: no graph is compiled by XLA."""
    return False


def IsInWhileLoop(op: Any) -> bool:
    """No: what a loop repeats is in a graph of its own."""
    return False


IsInXLAContext = IsInCond = _never


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """No: no graph is compiled by XLA."""
    return False


def GetContainingXLAContext(ctxt: Any) -> None:
    """None: no context compiles by XLA."""
