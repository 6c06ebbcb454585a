"""tf.saved_model.save: variables, and functions as graphs, in TensorFlow's folder."""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.api.function.function import ConcreteFunction, Function
from wengert.api.function.function import function as traced
from wengert.compat.graph_defs.nodes import attr_value
from wengert.compat.graph_defs.producer import GRAPH_DEF_VERSION
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_tensor_proto, shape_proto
from wengert.compat.v1 import VERSION
from wengert.core.context import activate
from wengert.formats.bundles import BundleWriter
from wengert.graph.function_graph import FunctionGraph
from wengert.host.files import replaced
from wengert.lookup.contents import Contents
from wengert.ops.arrays.gathering import to_dense
from wengert.ops.arrays.identity import identity
from wengert.saved_model import options as names
from wengert.saved_model.function_defs import Custom, Library
from wengert.saved_model.structures import encoded
from wengert.saved_model.tables import TableFunction, contents_of, functions, table_node
from wengert.saving.object_graph import KEY, View, in_message
from wengert.saving.saver import value_of
from wengert.saving.trackables.parts import parts_of
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.dtypes import resource
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, type_spec_from_value

_INIT: Final = "__saved_model_init_op"


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Save an object: its variables, files, and what of its functions was traced.

    A function with an `input_signature` is traced now; others as they were called. `signatures` is a function, or
    several by names, for programs that call a model by names of its inputs.

    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.by = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ...     def __call__(self, x):
    ...         return self.by * x
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded(tf.constant([1.0, 2.0])).numpy().tolist(), loaded.by.numpy()
    ([3.0, 6.0], np.float32(3.0))
    """
    folder = Path(os.fspath(export_dir))
    _Saving(obj, folder, signatures, options or names.SaveOptions()).write()


class _Signatures:
    """The functions that programs call by name."""

    def __init__(self, functions: dict[str, Any]) -> None:
        self.functions = functions


class _ModelView(View):
    """The objects of a model, functions among them."""

    def parts(self, value: Any, n: int) -> dict[str, Any]:
        """The parts, and the functions that are attributes."""
        if isinstance(value, (Function, ConcreteFunction, _Signatures, names.Asset)):
            return {}
        found = parts_of(value, "savedmodel", cache={}) | _functions_of(value)
        return found | self._attached if n == 0 else found


def _functions_of(value: Any) -> dict[str, Any]:
    """The functions among the attributes of an object and of its class."""
    if isinstance(value, (Variable, list, tuple, Mapping)):
        return {}
    found = {
        name: getattr(value, name)
        for name in dir(type(value))
        if isinstance(inspect.getattr_static(value, name, None), Function)
    }
    own = getattr(value, "__dict__", {})
    return found | {
        name: part
        for name, part in own.items()
        if isinstance(part, (Function, ConcreteFunction)) or _is_loaded(part)
    }


def _is_loaded(value: Any) -> bool:
    return hasattr(value, "concrete_functions") and hasattr(value, "get_concrete_function")


class _Saving:
    def __init__(self, obj: Any, folder: Path, signatures: Any, options: Any) -> None:
        if not (hasattr(obj, "__dict__")):
            raise ValueError(f"Expected an object with attributes to save, got {obj!r}.")
        self._folder = folder
        self._options = options
        named = _named_signatures(signatures if signatures is not None else _default_signature(obj))
        self.view = _ModelView(obj, {"signatures": _Signatures(named)})
        self.library = Library()
        self.graph = message("GraphDef")()
        self.objects = message("SavedObjectGraph")()
        self.meta = message("MetaGraphDef")()
        self._constants: dict[int, int] = {}
        self._tables: dict[Contents, int] = {}
        self._extra: list[Any] = []
        self._names: dict[int, str] = {}

    def write(self) -> None:
        """Write everything; the file that makes it a model comes last."""
        nodes, values = self.view.graph(with_slots=False)
        self._protos(nodes)
        (self._folder / names.VARIABLES_DIRECTORY).mkdir(parents=True, exist_ok=True)
        (self._folder / names.ASSETS_DIRECTORY).mkdir(exist_ok=True)
        prefix = self._folder / names.VARIABLES_DIRECTORY / names.VARIABLES_FILENAME
        with BundleWriter(str(prefix)) as writer:
            for key in sorted(values):
                value = values[key]
                held = value_of(value, None) if isinstance(value, Variable) else value
                writer.add(key, np.asarray(held))
            writer.add(KEY, np.array(in_message(nodes), object))
        for asset in [v for v in self.view.objects if isinstance(v, names.Asset)]:
            shutil.copy(asset._path, self._folder / names.ASSETS_DIRECTORY)
        replaced(
            str(self._folder / names.SAVED_MODEL_FILENAME_PB), self._model().SerializeToString()
        )

    def _model(self) -> Any:
        self.meta.graph_def.CopyFrom(self.graph)
        self.meta.graph_def.library.CopyFrom(self.library.proto)
        self.meta.graph_def.versions.producer = GRAPH_DEF_VERSION
        self.meta.object_graph_def.CopyFrom(self.objects)
        info = self.meta.meta_info_def
        info.tags.extend([names.SERVING, *self._options.extra_tags])
        info.tensorflow_version = VERSION
        made = message("SavedModel")(saved_model_schema_version=1)
        made.meta_graphs.append(self.meta)
        return made

    # ---- objects -----------------------------------------------------------------------------

    def _protos(self, nodes: Sequence[Any]) -> None:
        traces: list[tuple[int, Any]] = []
        for n, (node, value) in enumerate(zip(nodes, self.view.objects, strict=True)):
            made = self.objects.nodes.add()
            for name, child in node.children.items():
                made.children.add(node_id=child, local_name=name)
            if isinstance(value, (Function, ConcreteFunction, _Signatures)) or _is_loaded(value):
                traces.append((n, value))
            else:
                self._describe(made, value)
        self._init_op()
        for n, value in traces:
            self._callable(self.objects.nodes[n], value)
        for alias, function in self._options.function_aliases.items():
            found = [function] if isinstance(function, ConcreteFunction) else _traces(function)
            for trace in found:
                self.meta.meta_info_def.function_aliases[self._concrete(trace)] = alias
        for custom in self.library.custom:
            self._gradient(custom)
        self.objects.nodes.extend(self._extra)

    def _describe(self, made: Any, value: Any) -> None:
        inner = getattr(value, "_value", value) if not isinstance(value, Variable) else value
        if isinstance(inner, Variable):
            made.variable.dtype = inner.dtype.as_datatype_enum
            made.variable.shape.CopyFrom(shape_proto(inner.shape))
            made.variable.trainable = bool(getattr(value, "trainable", inner.trainable))
            made.variable.name = inner.name.rpartition(":")[0]
        elif isinstance(value, names.Asset):
            made.asset.asset_file_def_index = len(self.meta.asset_file_def)
            name = self._constant(np.array(value._path.encode(), object))
            info = self.meta.asset_file_def.add(filename=Path(value._path).name)
            info.tensor_info.name = f"{name}:0"
            info.tensor_info.dtype = 7
        else:
            kinds = ((Mapping, "trackable_dict_wrapper"), (tuple, "trackable_tuple_wrapper"))
            found = next((name for kind, name in kinds if isinstance(value, kind)), None)
            found = found or (
                "trackable_list_wrapper" if isinstance(value, list) else "_generic_user_object"
            )
            made.user_object.identifier = found
            made.user_object.version.producer = 1
            made.user_object.version.min_consumer = 1

    def _callable(self, made: Any, value: Any) -> None:
        if isinstance(value, _Signatures):
            made.user_object.identifier = "signature_map"
            made.user_object.version.producer = 1
            for name, function in value.functions.items():
                self._signature(made, name, function)
        elif isinstance(value, ConcreteFunction):
            made.bare_concrete_function.concrete_function_name = self._concrete(value)
            specs = _flat_specs(value)
            made.bare_concrete_function.argument_keywords.extend([str(s.name) for s in specs])
            made.bare_concrete_function.allowed_positional_arguments = len(specs)
        else:
            for trace in _traces(value):
                made.function.concrete_functions.append(self._concrete(trace))
            spec = made.function.function_spec
            spec.fullargspec.CopyFrom(encoded(_full_arg_spec(value)))
            signature = getattr(value, "input_signature", None)
            spec.input_signature.CopyFrom(
                encoded(None if signature is None else _plain(tuple(signature)))
            )

    # ---- functions ---------------------------------------------------------------------------

    def _concrete(self, trace: Any, keywords: Any = None, results: Any = None) -> str:
        """A trace as a function of the library; its name."""
        if keywords is None and id(trace) in self._names:
            return self._names[id(trace)]
        name = self.library.name(
            trace.name if keywords is None else f"signature_wrapper_{trace.name}"
        )
        inputs = trace.graph.all_inputs
        captured = trace.graph.captured
        start = len(inputs) - len(captured)
        if keywords is not None:
            at = {str(spec.name): x for spec, x in zip(_flat_specs(trace), inputs, strict=False)}
            inputs = [*[at[name] for name in keywords], *inputs[start:]]
        kinds = [False] * start + [isinstance(v, Variable) for v in captured]
        outputs, labels = trace.outputs, [f"output_{n}" for n in range(len(trace.outputs))]
        if results is not None:
            labels, outputs = list(results), list(results.values())
        self.library.add(name, inputs, kinds, outputs, labels, trace.graph)
        saved = self.objects.concrete_functions[name]
        saved.bound_inputs.extend([self._bound(v, trace) for v in captured])
        args, kwargs = trace.structured_input_signature
        given = (args, kwargs) if keywords is None else ((), keywords)
        saved.canonicalized_input_signature.CopyFrom(encoded(_plain(given)))
        structure = (
            nest.map_structure(_spec, trace.structured_outputs)
            if results is None
            else {key: TensorSpec(y.shape, y.dtype, key) for key, y in results.items()}
        )
        saved.output_signature.CopyFrom(encoded(structure))
        if keywords is None:
            self._names[id(trace)] = name
        return name

    def _gradient(self, custom: Custom) -> None:
        """The gradient of an operation that has one of its own, as a function of the library."""
        if not self._options.experimental_custom_gradients:
            return
        op, name = custom.op, self.library.name("internal_grad_fn")
        graph = FunctionGraph(name, op.graph)
        dys = [
            graph.input(x.shape, x.dtype.numpy_dtype, f"result_grads_{n}")
            for n, x in enumerate(custom.passed)
        ]
        with activate((), graph):
            found = custom.gradients(dys)
            parts = [None if g is None else graph.entered(identity(to_dense(g))) for g in found]
        outputs = [part for part in parts if part is not None]
        captured = graph.captured
        kinds = [isinstance(v, Variable) for v in captured]
        labels = [f"output_{n}" for n in range(len(outputs))]
        inputs = [*dys, *graph.captured_inputs]
        self.library.add(name, inputs, [False] * len(dys) + kinds, outputs, labels, graph)
        saved = self.objects.concrete_functions[name]
        saved.bound_inputs.extend([self._kept(value, custom) for value in captured])
        specs = tuple([TensorSpec(x.shape, x.dtype, x.op.name) for x in dys])
        saved.canonicalized_input_signature.CopyFrom(encoded(((None, *specs), {})))
        saved.output_signature.CopyFrom(encoded(tuple([_spec(part) for part in parts])))
        self.library.proto.registered_gradients.add(
            gradient_func=name, registered_op_type=custom.kind
        )

    def _kept(self, value: Any, custom: Custom) -> int:
        """The number of what a gradient uses: a tensor of the function, or what that captured."""
        if not isinstance(value, SymbolicTensor):
            return self._bound(value, custom.op.graph)
        for outer, own in custom.op.graph.captures:
            if own is value and not isinstance(outer, SymbolicTensor):
                return self._bound(outer, custom.op.graph)
        node = message("SavedObject")()
        node.captured_tensor.name = (
            f"{custom.args.get(value.op.name, value.op.name)}:{value.value_index}"
        )
        node.captured_tensor.concrete_function = custom.function
        return self._added(node)

    def _bound(self, value: Any, trace: Any) -> int:
        """The number of what a function captured."""
        number = self.view.number(value)
        if number is not None:
            return number
        contents = contents_of(value)
        if contents is not None:
            return self._table(contents)
        for n, known in enumerate(self.view.objects):
            if getattr(known, "_value", None) is value or getattr(known, "_tensor", None) is value:
                return n
        if isinstance(value, Variable):
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource: variable {value.name} "
                f"of function {trace.name}. TensorFlow objects (e.g. tf.Variable) captured by functions must "
                "be 'tracked' by assigning them to an attribute of a tracked object or assigned to an "
                "attribute of the main object directly."
            )
        if id(value) not in self._constants:
            node = message("SavedObject")()
            node.constant.operation = self._constant(np.asarray(value))
            self._constants[id(value)] = self._added(node)
        return self._constants[id(value)]

    def _table(self, contents: Contents) -> int:
        """The number of a table, an object with its functions."""
        if contents not in self._tables:
            node = message("SavedObject")()
            node.resource.SetInParent()
            self._tables[contents] = number = self._added(node)
            for made in functions(self.library, contents):
                node.children.add(node_id=self._of_table(made, number), local_name=made.part)
        return self._tables[contents]

    def _of_table(self, made: TableFunction, table: int) -> int:
        """The number of a function of a table."""
        self.library.proto.function.append(made.definition)
        name = made.definition.signature.name
        saved = self.objects.concrete_functions[name]
        saved.bound_inputs.extend([table] * made.takes_table)
        saved.canonicalized_input_signature.CopyFrom(encoded(((), {})))
        saved.output_signature.CopyFrom(encoded(TensorSpec([], made.dtype)))
        node = message("SavedObject")()
        node.function.concrete_functions.append(name)
        node.function.function_spec.fullargspec.CopyFrom(encoded(_NO_ARGUMENTS))
        node.function.function_spec.input_signature.CopyFrom(encoded(None))
        return self._added(node)

    def _added(self, node: Any) -> int:
        """The number of an object beside those of the model."""
        self._extra.append(node)
        return len(self.view.objects) + len(self._extra) - 1

    def _constant(self, array: Any) -> str:
        name = f"Const_{len(self.graph.node)}"
        node = self.graph.node.add(name=name, op="Const")
        proto = make_tensor_proto(array)
        node.attr["value"].tensor.CopyFrom(proto)
        node.attr["dtype"].type = proto.dtype
        return name

    # ---- signatures --------------------------------------------------------------------------

    def _init_op(self) -> None:
        self.graph.node.add(name="NoOp", op="NoOp")
        info = self.meta.signature_def[_INIT].outputs[_INIT]
        info.name = "NoOp"
        info.tensor_shape.unknown_rank = True

    def _signature(self, made: Any, name: str, function: Any) -> None:
        trace = _signature_trace(function)
        # By name, as nested values are flattened: no other order is said anywhere.
        keywords = dict(sorted([(str(spec.name), spec) for spec in _flat_specs(trace)]))
        results = dict(sorted(_named_results(trace).items()))
        inner = self._concrete(trace, keywords, results)
        node = message("SavedObject")()
        node.bare_concrete_function.concrete_function_name = inner
        node.bare_concrete_function.argument_keywords.extend(keywords)
        node.bare_concrete_function.allowed_positional_arguments = int(len(keywords) == 1)
        made.children.add(node_id=self._added(node), local_name=name)
        self._call(name, trace, inner, keywords, results)

    def _call(self, name: str, trace: Any, inner: str, keywords: Any, results: Any) -> None:
        """The nodes that run a signature in a session."""
        signature = self.meta.signature_def[name]
        signature.method_name = names.PREDICT_METHOD_NAME
        inputs, types = [], []
        for key, spec in keywords.items():
            node = self.graph.node.add(name=f"{name}_{key}", op="Placeholder")
            node.attr["dtype"].type = spec.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(shape_proto(spec.shape))
            _tell(signature.inputs[key], f"{node.name}:0", spec)
            inputs.append(node.name)
            types.append(spec.dtype)
        for value in trace.graph.captured:
            is_variable = isinstance(value, Variable)
            inputs.append(self._outside(value))
            types.append(resource if is_variable else value.dtype)
        call = self.graph.node.add(
            name=f"StatefulPartitionedCall_{name}", op="StatefulPartitionedCall"
        )
        call.input.extend(inputs)
        call.attr["Tin"].CopyFrom(attr_value(types))
        call.attr["Tout"].CopyFrom(attr_value([y.dtype for y in results.values()]))
        call.attr["f"].func.name = inner
        for n, (key, y) in enumerate(results.items()):
            _tell(signature.outputs[key], f"{call.name}:{n}", y)

    def _outside(self, value: Any) -> str:
        """The node of what a signature captured."""
        contents = contents_of(value)
        if contents is not None:
            node = table_node(f"{contents.name}_{self._table(contents)}", contents)
            if all(n.name != node.name for n in self.graph.node):
                self.graph.node.append(node)
            return str(node.name)
        if isinstance(value, Variable):
            return self._handle(value)
        return self._constant(np.asarray(value))

    def _handle(self, variable: Any) -> str:
        name = f"{variable.name.rpartition(':')[0]}_{self._bound_number(variable)}"
        if all(node.name != name for node in self.graph.node):
            node = self.graph.node.add(name=name, op="VarHandleOp")
            node.attr["dtype"].type = variable.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(shape_proto(variable.shape))
            node.attr["shared_name"].s = name.encode()
            node.attr["container"].s = b""
        return name

    def _bound_number(self, variable: Any) -> int:
        number = self.view.number(variable)
        return number if number is not None else id(variable)


def _tell(info: Any, name: str, like: Any) -> None:
    info.name = name
    info.dtype = like.dtype.as_datatype_enum
    info.tensor_shape.CopyFrom(shape_proto(like.shape))


def _spec(value: Any) -> Any:
    if nest.is_composite(value):
        return type_spec_from_value(value)
    return TensorSpec(value.shape, value.dtype) if isinstance(value, Tensor) else value


def _plain(value: Any) -> Any:
    """A signature whose values have a form in the file."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple([_plain(part) for part in value])
    if type(value) is list:
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _traces(value: Any) -> list[Any]:
    if isinstance(value, Function):
        found = value._list_all_concrete_functions()
        if not found and value.input_signature is not None:
            found = [value.get_concrete_function()]
        return list(found)
    return list(value.concrete_functions)


def _flat_specs(trace: Any) -> list[Any]:
    """The specs of the tensors that a trace takes, each with a name of its own."""
    found: list[Any] = []
    for n, x in enumerate(trace.graph.inputs):
        name = x.op.name.rpartition("/")[2] or f"arg_{n}"
        found.append(TensorSpec(x.shape, x.dtype, name))
    return found


def _full_arg_spec(value: Any) -> Any:
    told = getattr(value, "full_arg_spec", None)  # of what was loaded
    if told is not None:
        return told
    function = getattr(value, "python_function", None)
    try:
        spec = inspect.getfullargspec(function) if function is not None else _ANY
    except TypeError:
        spec = _ANY
    args = list(spec.args)
    if args and args[0] == "self":
        args = args[1:]
    defaults = None if spec.defaults is None else tuple([_simple(v) for v in spec.defaults])
    only = (
        None
        if spec.kwonlydefaults is None
        else {k: _simple(v) for k, v in spec.kwonlydefaults.items()}
    )
    return inspect.FullArgSpec(
        args, spec.varargs, spec.varkw, defaults, list(spec.kwonlyargs), only, {}
    )


_ANY: Final = inspect.FullArgSpec([], "args", "kwargs", None, [], None, {})
_NO_ARGUMENTS: Final = inspect.FullArgSpec([], None, None, None, [], None, {})


def _simple(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else None


def _default_signature(obj: Any) -> Any:
    functions = _functions_of(obj)
    own = getattr(obj, "_default_save_signature", None)
    if own is not None:
        return own
    found = [f for f in functions.values() if getattr(f, "input_signature", None) is not None]
    is_only = len(found) == len(functions) == 1 and not isinstance(found[0], ConcreteFunction)
    return found[0] if is_only and _can_be_signature(found[0]) else {}


def _can_be_signature(function: Any) -> bool:
    """Whether a function gives what programs that call it by name can take."""
    try:
        _named_results(_signature_trace(function))
    except ValueError:
        return False
    return True


def _named_signatures(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {str(name): function for name, function in given.items()}
    return {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}


def _signature_trace(function: Any) -> Any:
    if isinstance(function, ConcreteFunction):
        return function
    if _is_loaded(function):
        args, kwargs = function.concrete_functions[0].structured_input_signature
        return traced(function).get_concrete_function(*args, **kwargs)
    if isinstance(function, Function) and (
        function.input_signature is not None or _traces(function)
    ):
        found = _traces(function)
        return found[0] if len(found) == 1 else function.get_concrete_function()
    raise ValueError(
        f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
        "`tf.functions` with an input signature or concrete functions can be used as a signature."
    )


def _named_results(trace: Any) -> dict[str, Any]:
    structure = trace.structured_outputs
    if isinstance(structure, Tensor):
        return {"output_0": structure}
    if isinstance(structure, (list, tuple)) and all(isinstance(y, Tensor) for y in structure):
        return {f"output_{n}": y for n, y in enumerate(structure)}
    if isinstance(structure, Mapping) and all(isinstance(y, Tensor) for y in structure.values()):
        return {str(key): structure[key] for key in sorted(structure)}
    if structure is None:
        return {}
    raise ValueError(
        f"Got a non-Tensor value {structure!r} in the output of the signature function {trace.name}. Outputs "
        "for functions used as signatures must be a single Tensor, a sequence of Tensors, or a dictionary "
        "from string to Tensor."
    )
