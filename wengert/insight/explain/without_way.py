"""Why nothing leads from a source to a target: the first reason that fits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from typing import Any, Final

import numpy as np

from wengert.host.syntax import expression
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.history import keys_of
from wengert.insight.explain.in_tensors import all_in_tf, in_tf
from wengert.insight.explain.question import Question, chain, step_text
from wengert.insight.explain.rewriting import Mend, called, read_names, replacing
from wengert.insight.explain.roundabout import by_choice, by_dataset, by_keeping
from wengert.insight.explain.trial import EXACT, best_of, proposed
from wengert.insight.journal import Exit, Step
from wengert.insight.program_text import (
    Assignment,
    line_text,
    name_of,
    names_in,
    short,
)
from wengert.insight.reports.blocks import Block, Words
from wengert.state.variable import Variable
from wengert.values.exits import LOOKS
from wengert.values.tensor import Tensor


def explain_without_way(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation:
    """`down` are the values that depend on the source, `up` those that the target depends on."""
    for reason in REASONS:
        found = reason(q, down, up, used)
        if found is not None:
            return found
    return Explanation(
        "no-path",
        f"{q.title} is None: {q.y} does not depend on {q.x}.",
        q.line_of(q.target) or q.began,
        q.asking_for_zeros(f"Use {q.x} where {q.y} is computed, or ask for zeros:"),
        [_uses(q, used)],
    )


_MOST: Final = 6  # names that are listed


def _uses(q: Question, used: Set[int]) -> Words:
    names = list(dict.fromkeys(filter(None, map(q.name, q.history.leaves(used)))))
    of = f" from {', '.join(names[:_MOST])}" if names else ""
    of += f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    last = f"; the last of them is {q.history.steps[max(used)].row.name}" if used else ""
    count = f"{len(used)} operation{'' if len(used) == 1 else 's'}"
    return Words(f"It was computed{of} by {count}{last}.")


# ---- through Python -----------------------------------------------------------------------------


def _by_exit(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    return left_for_python(q, down, used)


def left_for_python(q: Question, down: Set[Any], used: Set[int]) -> Explanation | None:
    """A value that depends on the source left for Python before the target was computed."""
    last = max(used, default=len(q.history.steps))
    for out in reversed(q.exits):
        depends = out.at <= last and getattr(out.value, "_key", None) in down
        if depends and _is_for_more(out) and q.may_come_from(out.line):
            return left_the_tape(q, out, "as an array or a number of Python's")
    return None


def _is_for_more(out: Exit) -> bool:
    """Whether what left was more than printed or compared."""
    text = line_text(out.line)
    looked_at = text.startswith(LOOKS) and ":=" not in text
    return not looked_at and out.way != "bool()"


def left_the_tape(q: Question, out: Exit, why: str) -> Explanation:
    """The value left for NumPy or Python at a line."""
    name = q.x if out.value is q.source else q.name(out.value) or "it"
    text = line_text(out.line)
    gives = "an array" if out.way in (".numpy()", "NumPy") else "a number of Python's"
    here = f"✂ {name} left the tape here: {out.way} gives {gives} without a history."
    path = q.way_to(out.value)
    blocks: list[Block] = [chain(q, path, -1, {})] if path else []
    blocks.append(Words(f"{short(out.line)}   {text}\n{here}"))
    words = (
        "If NumPy must compute it, give it a derivative by tf.wrap or tf.custom_gradient. Otherwise"
    )
    otherwise = f"{words} compute with operations of tf."
    mends = [m._replace(words=f"{words}:") for m in all_in_tf(q.program, out.line)]
    mend = best_of(q, out.line, mends, EXACT, sure=False)
    mend = mend or best_of(q, out.line, mends[1:], EXACT, sure=True) or Mend(otherwise)
    title = f"{q.title} is None: the way from {q.x} to {q.y} leaves the tape ({why})."
    return Explanation("left-tape", title, out.line, mend, blocks)


def _by_closure(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """A function with a gradient of its own uses the source without having it as an argument."""
    made = sorted(q.history.down({q.source._key})[1])
    for number in sorted(used):
        step = q.history.steps[number]
        before = [n for n in made if n < number] if step.row.users else []
        if step.row.differentiable and any(_is_of(q.history.steps[n], step) for n in before):
            title = f"{q.title} is None: {step.row.name} uses {q.x}, and has no gradient for it."
            words = (
                f"A gradient function gives gradients of the arguments alone: let {q.x} be an argument, and return its "
                "gradient as well. (Variables come in by the argument `variables`.)"
            )
            where = q.history.steps[before[0]].line
            text = (
                f"{short(where)}   {line_text(where)}\n✂ {q.x} comes from around the function here."
            )
            return Explanation("custom-none", title, where, words, [Words(text)])
    return None


def _is_of(inner: Step, call: Step) -> bool:
    """Whether a function that was called has for its result what an operation in it computed."""
    pairs = [(x, y) for x in inner.results for y in call.results]
    return any(x._array is y._array or _shares(x, y) for x, y in pairs)


# ---- through a variable -------------------------------------------------------------------------


def _by_variable(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """The way leads through a variable that was assigned, or made, from what depends on the source."""
    leaves = [v for v in q.history.leaves(used) if isinstance(v, Variable)]
    names = _with_parameters(q, {q.x, *_names_of(q, down)})
    variables = set(map(q.name, leaves))
    for node in ast.walk(q.program.tree) if variables else ():
        if not (isinstance(node, ast.Call) and names & q.reads(node, node.lineno)):
            continue
        place = q.program.place(node.lineno)
        owner = _assigned_by(node)
        if owner and owner in variables:
            return _assigned(q, owner, place, node if _is_asked_there(q, node) else None)
        if ast.unparse(node.func).endswith("Variable"):
            made = q.program.assignment_around(node)
            owner = ast.unparse(made.targets[0]) if made else ""
            is_unnamed = "" in variables and (made is None or made.value is not node)
            if owner in variables or is_unnamed:
                return _made_variable(q, "a variable" if is_unnamed else owner, place)
    return _by_list(q, leaves)


def _is_asked_there(q: Question, node: ast.Call) -> bool:
    """Whether the function that asks is the one around a call: elsewhere a name would be another function's own."""
    around = [
        n
        for n in ast.walk(q.program.tree)
        if isinstance(n, ast.FunctionDef) and n.lineno <= node.lineno <= (n.end_lineno or 0)
    ]
    asks = q.program.frame.f_code.co_name
    return around[-1].name == asks if around else asks == "<module>"


def _with_parameters(q: Question, names: set[str]) -> set[str]:
    """Names, and those that functions of the program give to what they are called with by these names."""
    functions = {n.name: n.args for n in ast.walk(q.program.tree) if isinstance(n, ast.FunctionDef)}
    calls = [n for n in ast.walk(q.program.tree) if isinstance(n, ast.Call)]
    known: set[str] = set()
    while known != names:
        known = set(names)
        for call in calls:
            taken = functions.get(ast.unparse(call.func))
            for parameter, given in zip(taken.args if taken else (), call.args, strict=False):
                if known & q.reads(given, call.lineno):
                    names.add(parameter.arg)
    return names


def _by_list(q: Question, variables: list[Variable]) -> Explanation | None:
    """A variable is made of tensors in a list, which were put together at its line."""
    for step in q.steps_after():
        made = next((v for v in variables for y in step.results if _shares(y, v)), None)
        if made is not None and "Variable(" in line_text(step.line):
            return _made_variable(q, q.name(made) or "a variable", step.line)
    return None


_ASSIGNING: Final = ("assign", "scatter", "batch_scatter")


def _assigned_by(node: ast.Call) -> str:
    """The variable that a call changes, in whole or in part: v of `v[0].assign(...)` and of `assign(v, ...)`."""
    if not called(node).startswith(_ASSIGNING):
        return ""
    owner: ast.expr | None = node.args[0] if node.args else None
    if isinstance(node.func, ast.Attribute) and not ast.unparse(node.func.value).startswith("tf."):
        owner = node.func.value
    while isinstance(owner, ast.Subscript):
        owner = owner.value
    return "" if owner is None else ast.unparse(owner)


def _by_assignment(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """The same in a graph, where an assignment is an operation."""
    for step in q.steps_after():
        is_one = step.row.name.startswith(("Assign", "ResourceScatter"))
        if is_one and step.inputs[0]._key in up and not down.isdisjoint(keys_of(step.inputs[1:])):
            return _assigned(q, name_of(step.inputs[0]), step.line, None)
    return None


def _names_of(q: Question, keys: Set[Any]) -> Iterator[str]:
    for name, value in q.program.values.items():
        if isinstance(value, (Tensor, Variable)) and value._key in keys:
            yield name


def _assigned(q: Question, owner: str, place: str, node: ast.Call | None) -> Explanation:
    words = f"Use the value itself in place of {owner}: an assignment keeps the number, not how it was computed:"
    is_plain = (
        node is not None and owner.isidentifier() and ast.unparse(node.func) == f"{owner}.assign"
    )
    value = ast.unparse(node.args[0]) if node is not None and is_plain and node.args else ""
    mend = replacing(place, words, f"{owner} = {value}" if value else "")
    title = f"{q.title} is None: the way leads through the variable {owner}, which was assigned."
    text = f"{short(place)}   {line_text(place)}\n✂ the variable {owner} starts anew here."
    return Explanation("overwritten", title, place, mend, [Words(text)])


def _made_variable(q: Question, owner: str, place: str) -> Explanation:
    new = in_tf(line_text(place))
    if new == f"{owner} = {owner}":
        mend = q.deleting(place, "Leave this line out: the value itself is what you want.")
    else:
        words = "Use the value itself in place of a variable:"
        mend = proposed(q, place, words, [new] if new else [])
    title = f"{q.title} is None: tf.Variable keeps the number, not how it was computed."
    text = f"{short(place)}   {line_text(place)}\n✂ {owner} starts anew here."
    return Explanation("left-tape", title, place, mend, [Words(text)])


def overwritten(q: Question) -> Explanation | None:
    """The name of a variable was given to a tensor."""
    if isinstance(q.source, Variable):
        return None
    holder = q.x.partition("[")[0]
    found = (_overwritten(q, name) for name in dict.fromkeys((q.x, holder)))
    return next(filter(None, found), None)


def _overwritten(q: Question, name: str) -> Explanation | None:
    """The name, which is the source's or that of the list that holds it, was given to something else."""
    made, after = _made_and_given(q, name)
    if not made or not after:
        return None
    given = after[-1]
    line = q.program.place(given.line)
    is_one = name == q.x
    was, became = ("was a tf.Variable", "a tensor") if is_one else ("held variables", "tensors")
    gave = f"gave the name to {became}"
    if "[" in given.name and not is_one:
        gave = "put a tensor in the place of one"
    words = (
        f"{name} {was} ({short(q.program.place(made[0].line))}); {short(line)} {gave}, "
        "which the tape does not follow by itself."
    )
    verb = "the variable" if is_one or "[" in given.name else "the variables"
    mend = replacing(
        line, f"Change {verb} in place at {short(line)}:", _assigning(given.name, given.value)
    )
    title = f"{q.title} is None: {q.x} is no variable any more."
    return Explanation("overwritten", title, line, mend, [Words(words)])


def _made_and_given(q: Question, name: str) -> tuple[list[Assignment], list[Assignment]]:
    """Where a variable was made for a name, and where the name, or a part of it, was given to something else."""
    here = q.program.assignments(name)
    parts = [] if name == q.x else q.program.assigned.of_parts(name)
    around = q.program.assigned_around(name)
    made = [a for a in here if _makes_variable(a)]
    after = [a for a in (*here, *parts) if a not in made]
    if made:
        return made, [a for a in after if a.line > made[0].line]
    made = [a for a in around if _makes_variable(a)]
    elsewhere = [a for a in around if a not in made and not isinstance(a.value, ast.Constant)]
    return made, after or elsewhere


def _makes_variable(given: Assignment) -> bool:
    return "Variable(" in ast.unparse(given.value)


def _assigning(name: str, value: ast.expr) -> str:
    if isinstance(value, ast.ListComp):
        return _assigning_each(value)
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, (ast.Sub, ast.Add))
        and ast.unparse(value.left) == name
    ):
        verb = "sub" if isinstance(value.op, ast.Sub) else "add"
        return f"{name}.assign_{verb}({ast.unparse(value.right)})"
    return f"{name}.assign({ast.unparse(value)})"


def _assigning_each(value: ast.ListComp) -> str:
    """A loop in place of a list of new values; empty unless each is made from a variable."""
    first, *others = value.generators
    changed = value.elt.left if isinstance(value.elt, ast.BinOp) else None
    targets = names_in(first.target, stored=True)
    if others or first.ifs or not isinstance(changed, ast.Name) or changed.id not in targets:
        return ""
    change = _assigning(changed.id, value.elt)
    return f"for {ast.unparse(first.target).strip('()')} in {ast.unparse(first.iter)}: {change}"


def _by_name(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    return None if q.is_followed(q.source._key) else overwritten(q)


# ---- another tensor -----------------------------------------------------------------------------


def _by_memory(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """Another tensor is used than the one that is asked for: its memory or its origin says so."""
    for leaf in _tensors_other_than(q, used):
        if _shares(q.source, leaf):
            return _other(q, leaf, "the same numbers in the same memory")
    _, sources = q.history.up({q.source._key})
    for number in sorted(sources):
        for x in q.history.steps[number].inputs:
            if getattr(x, "_key", None) in up:
                return _other(
                    q, x, f"{q.x} was computed from it ({short(q.history.steps[number].line)})"
                )
    return None


def _by_part(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """A part, such as w[0], was taken anew for the question: it is a tensor of its own."""
    name, bracket, index = q.x.partition("[")
    whole = q.program.values.get(name)
    if not bracket or not isinstance(whole, (Tensor, Variable)) or whole._key not in up:
        return None
    words = f"{q.x} is another tensor each time it is written. Ask for the gradient by {name}, and take its part:"
    mend = q.asking_for(words, name)._replace(
        lines=(f"{q.tape_name}.gradient({q.y}, {name})[{index}",)
    )
    title = f"{q.title} is None: another tensor than {q.x} was used. Did you mean {name}?"
    line = q.program.place(q.program.frame.f_lineno)
    return Explanation("other-tensor", title, line, mend)


def _by_equality(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    for leaf in _tensors_other_than(q, used):
        if _equals(q.source, leaf) and (q.name(leaf) or leaf._array.size > 1):
            return _other(q, leaf, "equal numbers, but another tensor: a copy, or converted anew")
    return None


def _tensors_other_than(q: Question, used: Set[int]) -> Iterator[Any]:
    """What the source may be a copy of, or have as a copy: one of two variables is never the other's."""
    is_variable = isinstance(q.source, Variable)
    for leaf in q.history.leaves(used):
        if leaf is not q.source and not (is_variable and isinstance(leaf, Variable)):
            yield leaf


def _other(q: Question, other: Any, why: str) -> Explanation:
    name = q.name(other)
    use = next((s for s in q.history.steps if any(x is other for x in s.inputs)), None)
    blocks = [Words(f"{step_text(use)} uses {name or 'another tensor'}: {why}.")] if use else []
    words = (
        f"Ask for the gradient by {name}:" if name else f"Use {q.x} itself where {q.y} is computed."
    )
    mend = q.asking_for(words, name) if name else Mend(words)
    if name and not q.is_followed(other._key):
        words = f"Use {q.x} where {q.y} is computed; or add this as the first line inside the `with`, and ask by {name}:"
        mend = q.first_in_block(words, f"{q.tape_name}.watch({name})")
    title = f"{q.title} is None: another tensor than {q.x} was used."
    title += f" Did you mean {name}?" if name else ""
    return Explanation("other-tensor", title, use.line if use else q.began, mend, blocks)


def _shares(a: Any, b: Any) -> bool:
    x, y = getattr(a, "_array", None), getattr(b, "_array", None)
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        return False
    return x.size > 0 and bool(np.may_share_memory(x, y))


def _equals(a: Any, b: Any) -> bool:
    x, y = getattr(a, "_array", None), getattr(b, "_array", None)
    if x is None or y is None or getattr(x, "dtype", 0) != getattr(y, "dtype", 1):
        return False
    return bool(np.shape(x) == np.shape(y) and np.array_equal(x, y, equal_nan=True))


# ---- before the tape, after it, in another branch -----------------------------------------------


def _by_place(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """Something on the way was computed after the block, or before it."""
    block = q.block()
    if block is None:
        return None
    begin, end = block.lineno, block.end_lineno or block.lineno
    made = [a for a in q.program.assignments(q.y) if a.line < q.program.frame.f_lineno]
    if not made and q.program.frame.f_lineno > end and _is_computed_there(q, down):
        line = q.program.place(q.program.frame.f_lineno)
        words = f"{short(line)} computes {q.y} where it asks; the `with` block ends at {short(q.program.place(end))}."
        title = f"{q.title} is None: {q.y} was computed after the tape had stopped."
        return Explanation("after-tape", title, line, q.written_into(block), [Words(words)])
    if q.target._key not in q.history.made_by and made:
        if made[-1].line > end:
            line = q.program.place(made[-1].line)
            words = f"{short(line)} computes {q.y}; the `with` block ends at {short(q.program.place(end))}."
            title = f"{q.title} is None: {q.y} was computed after the tape had stopped."
            return Explanation("after-tape", title, line, q.moved_into(block, q.y), [Words(words)])
        if made[-1].line < begin:
            return _before(q, block, q.y, made[-1].line)
    for leaf in q.history.leaves(used):
        name = q.name(leaf)
        earlier = [a for a in q.program.assignments(name) if a.line < begin] if name else []
        if earlier and not isinstance(leaf, Variable) and q.x in q.reads(earlier[-1].value, begin):
            return _before(q, block, name, earlier[-1].line)
    return None


def _is_computed_there(q: Question, down: Set[Any]) -> bool:
    """Whether the target is an expression of what depends on the source, and no operation of the block gave it."""
    if q.target._key in q.history.made_by or not q.y:
        return False
    read = [q.program.values.get(name) for name in read_names(q.y)]
    return any(getattr(x, "_key", None) in down for x in read if x is not q.target)


def _before(q: Question, block: ast.With, name: str, at: int) -> Explanation:
    line = q.program.place(at)
    title = f"{q.title} is None: {name} was computed before the tape began."
    text = f"{short(line)}   {line_text(line)}\n✂ the tape begins at {short(q.began)} and knows {name} as a number only."
    return Explanation("before-tape", title, line, q.moved_down_into(block, at), [Words(text)])


def _by_branch(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """The program uses the source in a branch that was not taken, or in a loop that took no round."""
    file = q.program.file
    ran = {int(s.line.rpartition(":")[2]) for s in q.history.steps if s.line.startswith(file)}
    for node, parts in _branches(q.program.tree):
        for part in parts:
            names = {name for n in part for name in names_in(n)}
            lines = {at for n in part for at in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
            place = q.program.place(node.lineno)
            is_out = not isinstance(node, _OF_STATEMENTS) or not lines & ran
            if q.x in names and is_out and any(map(q.may_come_from, _places(q, node, part))):
                is_loop = isinstance(node, _LOOPS)
                what = (
                    "loop that uses {} took no round"
                    if is_loop
                    else "branch that uses {} was not taken"
                )
                where = "its rounds" if is_loop else "the other branch"
                title = f"{q.title} is None: the {what.format(q.x)}."
                text = f"{short(place)}   {line_text(place)}\n✂ {q.x} is used in {where} alone."
                words = "Let the loop begin with it" if is_loop else "Let both branches use it"
                mend = q.asking_for_zeros(f"{words}, or ask for zeros:")
                blocks: list[Block] = [Words(text), *_traced_around(q, node)]
                return Explanation("branch", title, place, mend, blocks)
    return None


def _traced_around(q: Question, node: Any) -> list[Block]:
    """What is to be known of a branch in a traced function, which is one operation where no lines are noted."""
    functions = [f for f in ast.walk(q.program.whole) if isinstance(f, ast.FunctionDef)]
    for f in functions:
        is_around = f.lineno <= node.lineno <= (f.end_lineno or f.lineno)
        if is_around and any("function" in ast.unparse(d) for d in f.decorator_list):
            what = "the loop" if isinstance(node, _LOOPS) else "both branches"
            words = f"Where nobody asks why, the call of {f.name} is one operation with {what}, and the gradient is zero."
            return [Words(words)]
    return []


def explain_not_run(q: Question) -> Explanation:
    """A gradient is zero and no operation that was carried out leads from the source: a function did not run it."""
    title = f"{q.title} is zero: the branch or the loop that uses {q.x} did not run."
    words = "Let both branches use it, or call the function with what chooses the other one."
    return Explanation("branch", title, q.line_of(q.target) or q.began, words)


def _places(q: Question, node: Any, part: list[Any]) -> list[str]:
    """The lines of a branch: of an expression, that of its statement."""
    statements = part if isinstance(node, _OF_STATEMENTS) else [node]
    return [q.program.place(n.lineno) for n in statements]


_THREADS: Final = (
    "Thread",
    "submit",
    "run_in_executor",
    "to_thread",
    "start_new_thread",
    "map",
    "apply_async",
)


def _by_thread(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """Something that the target depends on was computed in another thread, where the tape does not look."""
    block = q.block()
    made_here = all(isinstance(x, Variable) or q.name(x) for x in q.history.leaves(used))
    if block is None or made_here:
        return None
    for node in ast.walk(q.program.tree):
        if isinstance(node, ast.Call) and called(node) in _THREADS:
            work = _work_of(node)
            if q.x not in {n for f in _functions(q, work) for n in names_in(f)}:
                continue
            place = q.program.place(node.lineno)
            title = f"{q.title} is None: {work} runs in another thread, and a tape follows its own alone."
            text = f"{short(place)}   {line_text(place)}\n✂ what {work} computes is a number only for the tape of {short(q.began)}."
            words = f"Let {work} begin a tape of its own and return its gradient, or call it in the thread of the tape."
            return Explanation("after-tape", title, place, words, [Words(text)])
    return None


def _work_of(node: ast.Call) -> str:
    """The function that a thread is to run, as written."""
    given = [k.value for k in node.keywords if k.arg in ("target", "func", "function")]
    given += [a for a in node.args if not (isinstance(a, ast.Constant) and a.value is None)]
    return ast.unparse(given[0]) if given else ""


def _functions(q: Question, name: str) -> list[ast.AST]:
    """The functions of the file with a name, or the lambda that it is."""
    if name.startswith("lambda"):
        return [expression(name)]
    last = name.rpartition(".")[2]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [n for n in ast.walk(q.program.whole) if isinstance(n, kinds) and n.name == last]


def _branches(tree: ast.AST) -> Iterator[tuple[ast.stmt | ast.expr, list[list[Any]]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield node, [node.body, node.orelse]
        elif isinstance(node, ast.IfExp):
            yield node, [[node.body], [node.orelse]]
        elif called(node) == "cond" and isinstance(node, ast.Call):
            choices = [a.body for a in node.args if isinstance(a, ast.Lambda)]
            yield node, [[choice] for choice in choices]
    for node in ast.walk(tree):  # a loop may have taken rounds, and no branch within
        if isinstance(node, _LOOPS):
            yield node, [node.body]


_LOOPS: Final = (ast.For, ast.While)
_OF_STATEMENTS: Final = (ast.If, *_LOOPS)


Reason = Callable[[Question, Set[Any], Set[Any], Set[int]], Explanation | None]
REASONS: Final[tuple[Reason, ...]] = (
    _by_exit, _by_part, _by_memory, _by_closure, _by_variable, _by_assignment, by_dataset, by_choice,
    _by_place, _by_equality, _by_name, _by_thread, by_keeping, _by_branch,
)  # fmt: skip
