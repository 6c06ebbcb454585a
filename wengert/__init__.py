"""Wengert: TensorFlow's gradient API on NumPy.

A name that TensorFlow has means here what it means there; a name that it lacks is ours.
"""

import sys as _sys
import typing as _typing
from typing import Any as _Any

from wengert import errors as errors
from wengert import experimental as experimental
from wengert import math as math
from wengert import nest as nest
from wengert.api import bind as _bind  # noqa: F401  # what the machine uses
from wengert.api.gradients.answers import answers as _answers
from wengert.api.gradients.custom_gradient import custom_gradient as custom_gradient
from wengert.api.gradients.gradient_override_map import (
    gradient_override_map as gradient_override_map,
)
from wengert.api.gradients.gradient_tape import GradientTape as GradientTape
from wengert.api.gradients.graph_gradients import AggregationMethod as AggregationMethod
from wengert.api.gradients.graph_gradients import gradients as gradients
from wengert.api.gradients.graph_gradients import hessians as hessians
from wengert.api.gradients.registration import NotDifferentiable as NotDifferentiable
from wengert.api.gradients.registration import RegisterGradient as RegisterGradient
from wengert.api.gradients.registration import no_gradient as no_gradient
from wengert.api.gradients.registration import register_op as register_op
from wengert.api.gradients.unconnected import UnconnectedGradients as UnconnectedGradients
from wengert.api.session.inert_settings import get_current_name_scope as get_current_name_scope
from wengert.api.session.inert_settings import is_symbolic_tensor as is_symbolic_tensor
from wengert.api.session.inert_settings import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from wengert.api.session.inert_settings import timestamp as timestamp
from wengert.api.session.modes import control_dependencies as control_dependencies
from wengert.api.session.modes import device as device
from wengert.api.session.modes import executing_eagerly as executing_eagerly
from wengert.api.session.modes import init_scope as init_scope
from wengert.api.session.modes import inside_function as inside_function
from wengert.api.session.modes import name_scope as name_scope
from wengert.core.table import declared_later as _declared_later
from wengert.graph.devices import DeviceSpec as DeviceSpec
from wengert.graph.exchange import exchange as _exchange
from wengert.graph.graph import Graph as Graph
from wengert.graph.operation import Operation as Operation
from wengert.host.locks import load_module as _load_module
from wengert.ops.arrays.broadcasting import bitcast as bitcast
from wengert.ops.arrays.broadcasting import broadcast_dynamic_shape as broadcast_dynamic_shape
from wengert.ops.arrays.broadcasting import broadcast_static_shape as broadcast_static_shape
from wengert.ops.arrays.broadcasting import guarantee_const as guarantee_const
from wengert.ops.arrays.broadcasting import parallel_stack as parallel_stack
from wengert.ops.arrays.creation import constant as constant
from wengert.ops.arrays.creation import eye as eye
from wengert.ops.arrays.creation import fill as fill
from wengert.ops.arrays.creation import linspace as linspace
from wengert.ops.arrays.creation import meshgrid as meshgrid
from wengert.ops.arrays.creation import ones as ones
from wengert.ops.arrays.creation import range_ as _range
from wengert.ops.arrays.creation import rank as rank
from wengert.ops.arrays.creation import shape as shape
from wengert.ops.arrays.creation import shape_n as shape_n
from wengert.ops.arrays.creation import size as size
from wengert.ops.arrays.creation import zeros as zeros
from wengert.ops.arrays.gathering import gather as gather
from wengert.ops.arrays.gathering import gather_nd as gather_nd
from wengert.ops.arrays.gathering import one_hot as one_hot
from wengert.ops.arrays.gathering import scatter_nd as scatter_nd
from wengert.ops.arrays.identity import identity as identity
from wengert.ops.arrays.identity import identity_n as identity_n
from wengert.ops.arrays.identity import stop_gradient as stop_gradient
from wengert.ops.arrays.indexing import boolean_mask as boolean_mask
from wengert.ops.arrays.indexing import slice_ as _slice
from wengert.ops.arrays.indexing import strided_slice as strided_slice
from wengert.ops.arrays.joining import concat as concat
from wengert.ops.arrays.joining import split as split
from wengert.ops.arrays.joining import stack as stack
from wengert.ops.arrays.joining import unstack as unstack
from wengert.ops.arrays.shaping import broadcast_to as broadcast_to
from wengert.ops.arrays.shaping import expand_dims as expand_dims
from wengert.ops.arrays.shaping import reshape as reshape
from wengert.ops.arrays.shaping import squeeze as squeeze
from wengert.ops.arrays.shaping import tile as tile
from wengert.ops.arrays.shaping import transpose as transpose
from wengert.ops.arrays.slicing import pad as pad
from wengert.ops.arrays.slicing import reverse as reverse
from wengert.ops.arrays.slicing import roll as roll
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_add as tensor_scatter_nd_add
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_max as tensor_scatter_nd_max
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_min as tensor_scatter_nd_min
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
from wengert.ops.arrays.tensor_scatter import (
    tensor_strided_slice_update as tensor_strided_slice_update,
)
from wengert.ops.control.effects import Assert as Assert
from wengert.ops.control.effects import group as group
from wengert.ops.control.effects import no_op as no_op
from wengert.ops.control.effects import print_ as _print
from wengert.ops.control.effects import tuple_ as _tuple
from wengert.ops.linalg.matmul import einsum as einsum
from wengert.ops.linalg.matmul import matmul as matmul
from wengert.ops.linalg.matmul import tensordot as tensordot
from wengert.ops.math.arithmetic import add as add
from wengert.ops.math.arithmetic import add_n as add_n
from wengert.ops.math.arithmetic import atan2 as atan2
from wengert.ops.math.arithmetic import clip_by_value as clip_by_value
from wengert.ops.math.arithmetic import divide as divide
from wengert.ops.math.arithmetic import maximum as maximum
from wengert.ops.math.arithmetic import minimum as minimum
from wengert.ops.math.arithmetic import multiply as multiply
from wengert.ops.math.arithmetic import pow as pow
from wengert.ops.math.arithmetic import realdiv as realdiv
from wengert.ops.math.arithmetic import saturate_cast as saturate_cast
from wengert.ops.math.arithmetic import scalar_mul as scalar_mul
from wengert.ops.math.arithmetic import subtract as subtract
from wengert.ops.math.arithmetic import truediv as truediv
from wengert.ops.math.arithmetic import truncatediv as truncatediv
from wengert.ops.math.arithmetic import truncatemod as truncatemod
from wengert.ops.math.comparison import equal as equal
from wengert.ops.math.comparison import greater as greater
from wengert.ops.math.comparison import greater_equal as greater_equal
from wengert.ops.math.comparison import less as less
from wengert.ops.math.comparison import less_equal as less_equal
from wengert.ops.math.comparison import logical_and as logical_and
from wengert.ops.math.comparison import logical_or as logical_or
from wengert.ops.math.comparison import not_equal as not_equal
from wengert.ops.math.comparison import where as where
from wengert.ops.math.complex import abs as abs
from wengert.ops.math.complex import complex as complex
from wengert.ops.math.complex import sign as sign
from wengert.ops.math.elementwise import acos as acos
from wengert.ops.math.elementwise import acosh as acosh
from wengert.ops.math.elementwise import asin as asin
from wengert.ops.math.elementwise import asinh as asinh
from wengert.ops.math.elementwise import atan as atan
from wengert.ops.math.elementwise import atanh as atanh
from wengert.ops.math.elementwise import cast as cast
from wengert.ops.math.elementwise import cos as cos
from wengert.ops.math.elementwise import cosh as cosh
from wengert.ops.math.elementwise import exp as exp
from wengert.ops.math.elementwise import floor as floor
from wengert.ops.math.elementwise import logical_not as logical_not
from wengert.ops.math.elementwise import negative as negative
from wengert.ops.math.elementwise import ones_like as ones_like
from wengert.ops.math.elementwise import round as round
from wengert.ops.math.elementwise import sigmoid as sigmoid
from wengert.ops.math.elementwise import sin as sin
from wengert.ops.math.elementwise import sinh as sinh
from wengert.ops.math.elementwise import sqrt as sqrt
from wengert.ops.math.elementwise import square as square
from wengert.ops.math.elementwise import tan as tan
from wengert.ops.math.elementwise import tanh as tanh
from wengert.ops.math.elementwise import zeros_like as zeros_like
from wengert.ops.nn.activations import clip_by_norm as clip_by_norm
from wengert.ops.reductions.cumulative import cumsum as cumsum
from wengert.ops.reductions.reductions import argmax as argmax
from wengert.ops.reductions.reductions import argmin as argmin
from wengert.ops.reductions.reductions import reduce_all as reduce_all
from wengert.ops.reductions.reductions import reduce_any as reduce_any
from wengert.ops.reductions.reductions import reduce_logsumexp as reduce_logsumexp
from wengert.ops.reductions.reductions import reduce_max as reduce_max
from wengert.ops.reductions.reductions import reduce_mean as reduce_mean
from wengert.ops.reductions.reductions import reduce_min as reduce_min
from wengert.ops.reductions.reductions import reduce_prod as reduce_prod
from wengert.ops.reductions.reductions import reduce_sum as reduce_sum
from wengert.ops.support.static_value import ensure_shape as ensure_shape
from wengert.ops.support.static_value import get_static_value as get_static_value
from wengert.ops.support.static_value import is_tensor as is_tensor
from wengert.overrides.kinks import kinks_declared_later as _kinks_declared_later
from wengert.state.creators import variable_creator_scope as variable_creator_scope
from wengert.state.replicas import VariableAggregation as VariableAggregation
from wengert.state.replicas import VariableSynchronization as VariableSynchronization
from wengert.state.variable import Variable as Variable
from wengert.values.convert import convert_to_tensor as convert_to_tensor
from wengert.values.dtypes import DType as DType
from wengert.values.dtypes import as_dtype as as_dtype
from wengert.values.dtypes import bfloat16 as bfloat16
from wengert.values.dtypes import bool_ as _bool
from wengert.values.dtypes import complex64 as complex64
from wengert.values.dtypes import complex128 as complex128
from wengert.values.dtypes import double as double
from wengert.values.dtypes import float16 as float16
from wengert.values.dtypes import float32 as float32
from wengert.values.dtypes import float64 as float64
from wengert.values.dtypes import half as half
from wengert.values.dtypes import int8 as int8
from wengert.values.dtypes import int16 as int16
from wengert.values.dtypes import int32 as int32
from wengert.values.dtypes import int64 as int64
from wengert.values.dtypes import qint8 as qint8
from wengert.values.dtypes import qint16 as qint16
from wengert.values.dtypes import qint32 as qint32
from wengert.values.dtypes import quint8 as quint8
from wengert.values.dtypes import quint16 as quint16
from wengert.values.dtypes import resource as resource
from wengert.values.dtypes import string as string
from wengert.values.dtypes import uint8 as uint8
from wengert.values.dtypes import uint16 as uint16
from wengert.values.dtypes import uint32 as uint32
from wengert.values.dtypes import uint64 as uint64
from wengert.values.dtypes import variant as variant
from wengert.values.indexed_slices import IndexedSlices as IndexedSlices
from wengert.values.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from wengert.values.shapes import TensorShape as TensorShape
from wengert.values.tensor import Tensor as Tensor
from wengert.values.type_spec import TensorSpec as TensorSpec
from wengert.values.type_spec import TypeSpec as TypeSpec
from wengert.values.type_spec import type_spec_from_value as type_spec_from_value

# Names that would hide Python's own where they are written.
bool = _bool
range = _range
slice = _slice
print = _print
tuple = _tuple

newaxis = None

if _typing.TYPE_CHECKING:
    from wengert import __internal__ as __internal__
    from wengert import autodiff as autodiff
    from wengert import autograph as autograph
    from wengert import bitwise as bitwise
    from wengert import compat as compat
    from wengert import config as config
    from wengert import data as data
    from wengert import debugging as debugging
    from wengert import derivatives as derivatives
    from wengert import distribute as distribute
    from wengert import dtypes as dtypes
    from wengert import extend as extend
    from wengert import image as image
    from wengert import initializers as initializers
    from wengert import io as io
    from wengert import keras as keras
    from wengert import linalg as linalg
    from wengert import lookup as lookup
    from wengert import losses as losses
    from wengert import metrics as metrics
    from wengert import nn as nn
    from wengert import optimizers as optimizers
    from wengert import profiler as profiler
    from wengert import quantization as quantization
    from wengert import queue as queue
    from wengert import ragged as ragged
    from wengert import random as random
    from wengert import raw_ops as raw_ops
    from wengert import saved_model as saved_model
    from wengert import sets as sets
    from wengert import signal as signal
    from wengert import sparse as sparse
    from wengert import strings as strings
    from wengert import summary as summary
    from wengert import sysconfig as sysconfig
    from wengert import test as test
    from wengert import train as train
    from wengert import types as types
    from wengert import version as version
    from wengert.api.function.function import function as function
    from wengert.api.function.python_functions import numpy_function as numpy_function
    from wengert.api.function.python_functions import py_function as py_function
    from wengert.api.function.vectorized_map import vectorized_map as vectorized_map
    from wengert.api.gradients.recompute_grad import grad_pass_through as grad_pass_through
    from wengert.api.gradients.recompute_grad import recompute_grad as recompute_grad
    from wengert.api.initializers.simple import constant_initializer as constant_initializer
    from wengert.api.initializers.simple import ones_initializer as ones_initializer
    from wengert.api.initializers.simple import (
        random_normal_initializer as random_normal_initializer,
    )
    from wengert.api.initializers.simple import (
        random_uniform_initializer as random_uniform_initializer,
    )
    from wengert.api.initializers.simple import zeros_initializer as zeros_initializer
    from wengert.api.session.logger import get_logger as get_logger
    from wengert.api.variables.module import Module as Module
    from wengert.compat.graph_defs.importing import import_graph_def as import_graph_def
    from wengert.compat.graph_defs.tensors import make_ndarray as make_ndarray
    from wengert.compat.graph_defs.tensors import make_tensor_proto as make_tensor_proto
    from wengert.data.optional import OptionalSpec as OptionalSpec
    from wengert.derivatives import checkpointed_loop as checkpointed_loop
    from wengert.derivatives import curl as curl
    from wengert.derivatives import divergence as divergence
    from wengert.derivatives import fixed_point as fixed_point
    from wengert.derivatives import grad as grad
    from wengert.derivatives import hessian as hessian
    from wengert.derivatives import hessian_diag as hessian_diag
    from wengert.derivatives import hvp as hvp
    from wengert.derivatives import implicit_root as implicit_root
    from wengert.derivatives import jacobian as jacobian
    from wengert.derivatives import jacobian_operator as jacobian_operator
    from wengert.derivatives import jvp as jvp
    from wengert.derivatives import laplacian as laplacian
    from wengert.derivatives import linear_solve as linear_solve
    from wengert.derivatives import linear_transpose as linear_transpose
    from wengert.derivatives import linearize as linearize
    from wengert.derivatives import minimize_implicit as minimize_implicit
    from wengert.derivatives import ode_solve as ode_solve
    from wengert.derivatives import per_example_gradients as per_example_gradients
    from wengert.derivatives import spectral_function as spectral_function
    from wengert.derivatives import taylor as taylor
    from wengert.derivatives import to_scipy as to_scipy
    from wengert.derivatives import value_and_grad as value_and_grad
    from wengert.derivatives import vjp as vjp
    from wengert.derivatives import vmap as vmap
    from wengert.derivatives import wrap as wrap
    from wengert.insight.check.entry import assert_right as assert_right
    from wengert.insight.check.entry import check as check
    from wengert.insight.check.entry import check_rule as check_rule
    from wengert.insight.compare.comparison import compare as compare
    from wengert.insight.compare.formula import formula as formula
    from wengert.insight.drawing.draw import draw as draw
    from wengert.insight.explain.graphs import explain_gradient as explain_gradient
    from wengert.insight.source.program import source as source
    from wengert.ops.arrays.partitioning import dynamic_partition as dynamic_partition
    from wengert.ops.arrays.partitioning import dynamic_stitch as dynamic_stitch
    from wengert.ops.arrays.text import as_string as as_string
    from wengert.ops.control.asserts import assert_equal as assert_equal
    from wengert.ops.control.asserts import assert_greater as assert_greater
    from wengert.ops.control.asserts import assert_less as assert_less
    from wengert.ops.control.asserts import assert_rank as assert_rank
    from wengert.ops.control.cond import case as case
    from wengert.ops.control.cond import cond as cond
    from wengert.ops.control.cond import switch_case as switch_case
    from wengert.ops.control.critical_section import CriticalSection as CriticalSection
    from wengert.ops.control.map import foldl as foldl
    from wengert.ops.control.map import foldr as foldr
    from wengert.ops.control.map import map_fn as map_fn
    from wengert.ops.control.map import scan as scan
    from wengert.ops.control.tensor_array import TensorArray as TensorArray
    from wengert.ops.control.tensor_array import TensorArraySpec as TensorArraySpec
    from wengert.ops.control.while_loop import while_loop as while_loop
    from wengert.ops.image.patches import extract_volume_patches as extract_volume_patches
    from wengert.ops.linalg.eigen import eig as eig
    from wengert.ops.linalg.eigen import eigvals as eigvals
    from wengert.ops.linalg.matrix_functions import sqrtm as _sqrtm
    from wengert.ops.linalg.norms import norm as norm
    from wengert.ops.nn.clipping import clip_by_global_norm as clip_by_global_norm
    from wengert.ops.nn.conv.dilated import conv as conv
    from wengert.ops.nn.conv.dilated import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
    from wengert.ops.nn.conv.dilated import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
    from wengert.ops.nn.conv.with_space_to_batch import (
        required_space_to_batch_paddings as required_space_to_batch_paddings,
    )
    from wengert.ops.nn.space_depth import batch_to_space as batch_to_space
    from wengert.ops.nn.space_depth import space_to_batch as space_to_batch
    from wengert.ops.nn.space_depth import space_to_batch_nd as space_to_batch_nd
    from wengert.ops.reductions.counting import histogram_fixed_width as histogram_fixed_width
    from wengert.ops.reductions.counting import (
        histogram_fixed_width_bins as histogram_fixed_width_bins,
    )
    from wengert.ops.reductions.sequences import repeat as repeat
    from wengert.ops.reductions.sequences import reverse_sequence as reverse_sequence
    from wengert.ops.reductions.sequences import sequence_mask as sequence_mask
    from wengert.ops.reductions.sequences import unravel_index as unravel_index
    from wengert.ops.reductions.sorting import approx_top_k as approx_top_k
    from wengert.ops.reductions.sorting import argsort as argsort
    from wengert.ops.reductions.sorting import searchsorted as searchsorted
    from wengert.ops.reductions.sorting import sort as sort
    from wengert.ops.reductions.unique import unique as unique
    from wengert.ops.reductions.unique import unique_with_counts as unique_with_counts
    from wengert.ops.sparse.edit_distance import edit_distance as edit_distance
    from wengert.ops.strings.hashing import fingerprint as fingerprint
    from wengert.ragged import RaggedTensor as RaggedTensor
    from wengert.ragged import RaggedTensorSpec as RaggedTensorSpec
    from wengert.sparse import SparseTensor as SparseTensor
    from wengert.sparse import SparseTensorSpec as SparseTensorSpec

    matrix_square_root = _sqrtm

# What is loaded when it is first asked for: half of all there is. Namespaces, and functions with
# the module in which they stand.
_LATER = (
    "autodiff",
    "bitwise",
    "config",
    "debugging",
    "dtypes",
    "extend",
    "__internal__",
    "distribute",
    "autograph",
    "compat",
    "data",
    "derivatives",
    "image",
    "initializers",
    "io",
    "keras",
    "linalg",
    "lookup",
    "losses",
    "metrics",
    "nn",
    "optimizers",
    "profiler",
    "quantization",
    "queue",
    "ragged",
    "random",
    "raw_ops",
    "saved_model",
    "sets",
    "signal",
    "sparse",
    "strings",
    "summary",
    "sysconfig",
    "test",
    "train",
    "types",
    "version",
)
_ELSEWHERE = {
    "function": ("api.function.function", "function"),
    "assert_equal": ("ops.control.asserts", "assert_equal"),
    "assert_greater": ("ops.control.asserts", "assert_greater"),
    "assert_less": ("ops.control.asserts", "assert_less"),
    "assert_rank": ("ops.control.asserts", "assert_rank"),
    "case": ("ops.control.cond", "case"),
    "cond": ("ops.control.cond", "cond"),
    "switch_case": ("ops.control.cond", "switch_case"),
    "TensorArray": ("ops.control.tensor_array", "TensorArray"),
    "TensorArraySpec": ("ops.control.tensor_array", "TensorArraySpec"),
    "while_loop": ("ops.control.while_loop", "while_loop"),
    "CriticalSection": ("ops.control.critical_section", "CriticalSection"),
    "foldl": ("ops.control.map", "foldl"),
    "foldr": ("ops.control.map", "foldr"),
    "map_fn": ("ops.control.map", "map_fn"),
    "scan": ("ops.control.map", "scan"),
    "histogram_fixed_width": ("ops.reductions.counting", "histogram_fixed_width"),
    "histogram_fixed_width_bins": ("ops.reductions.counting", "histogram_fixed_width_bins"),
    "repeat": ("ops.reductions.sequences", "repeat"),
    "reverse_sequence": ("ops.reductions.sequences", "reverse_sequence"),
    "sequence_mask": ("ops.reductions.sequences", "sequence_mask"),
    "unravel_index": ("ops.reductions.sequences", "unravel_index"),
    "approx_top_k": ("ops.reductions.sorting", "approx_top_k"),
    "argsort": ("ops.reductions.sorting", "argsort"),
    "searchsorted": ("ops.reductions.sorting", "searchsorted"),
    "sort": ("ops.reductions.sorting", "sort"),
    "clip_by_global_norm": ("ops.nn.clipping", "clip_by_global_norm"),
    "checkpointed_loop": ("derivatives.checkpointing", "checkpointed_loop"),
    "curl": ("derivatives.jacobians", "curl"),
    "divergence": ("derivatives.jacobians", "divergence"),
    "fixed_point": ("derivatives.implicit_functions.roots", "fixed_point"),
    "grad": ("derivatives.reverse", "grad"),
    "hessian": ("derivatives.jacobians", "hessian"),
    "hessian_diag": ("derivatives.jacobians", "hessian_diag"),
    "hvp": ("derivatives.jacobians", "hvp"),
    "implicit_root": ("derivatives.implicit_functions.roots", "implicit_root"),
    "jacobian": ("derivatives.jacobians", "jacobian"),
    "jacobian_operator": ("derivatives.scipy_bridge", "jacobian_operator"),
    "jvp": ("derivatives.forward", "jvp"),
    "to_scipy": ("derivatives.scipy_bridge", "to_scipy"),
    "laplacian": ("derivatives.jacobians", "laplacian"),
    "linear_solve": ("derivatives.implicit_functions.linear_solve", "linear_solve"),
    "minimize_implicit": ("derivatives.implicit_functions.roots", "minimize_implicit"),
    "linear_transpose": ("derivatives.forward", "linear_transpose"),
    "linearize": ("derivatives.forward", "linearize"),
    "ode_solve": ("derivatives.implicit_functions.ode", "ode_solve"),
    "per_example_gradients": ("derivatives.mapping", "per_example_gradients"),
    "spectral_function": ("derivatives.spectral_functions.function", "spectral_function"),
    "taylor": ("derivatives.taylor_mode.mode", "taylor"),
    "value_and_grad": ("derivatives.reverse", "value_and_grad"),
    "vjp": ("derivatives.reverse", "vjp"),
    "wrap": ("derivatives.outside.wrap", "wrap"),
    "vmap": ("derivatives.mapping", "vmap"),
    "dynamic_partition": ("ops.arrays.partitioning", "dynamic_partition"),
    "dynamic_stitch": ("ops.arrays.partitioning", "dynamic_stitch"),
    "grad_pass_through": ("api.gradients.recompute_grad", "grad_pass_through"),
    "OptionalSpec": ("data.optional", "OptionalSpec"),
    "numpy_function": ("api.function.python_functions", "numpy_function"),
    "py_function": ("api.function.python_functions", "py_function"),
    "assert_right": ("insight.check.entry", "assert_right"),
    "check": ("insight.check.entry", "check"),
    "check_rule": ("insight.check.entry", "check_rule"),
    "explain_gradient": ("insight.explain.graphs", "explain_gradient"),
    "draw": ("insight.drawing.draw", "draw"),
    "compare": ("insight.compare.comparison", "compare"),
    "formula": ("insight.compare.formula", "formula"),
    "source": ("insight.source.program", "source"),
    "recompute_grad": ("api.gradients.recompute_grad", "recompute_grad"),
    "unique": ("ops.reductions.unique", "unique"),
    "unique_with_counts": ("ops.reductions.unique", "unique_with_counts"),
    "vectorized_map": ("api.function.vectorized_map", "vectorized_map"),
    "conv": ("ops.nn.conv.dilated", "conv"),
    "conv2d_backprop_filter_v2": ("ops.nn.conv.dilated", "conv2d_backprop_filter_v2"),
    "conv2d_backprop_input_v2": ("ops.nn.conv.dilated", "conv2d_backprop_input_v2"),
    "get_logger": ("api.session.logger", "get_logger"),
    "Module": ("api.variables.module", "Module"),
    "import_graph_def": ("compat.graph_defs.importing", "import_graph_def"),
    "make_ndarray": ("compat.graph_defs.tensors", "make_ndarray"),
    "make_tensor_proto": ("compat.graph_defs.tensors", "make_tensor_proto"),
    "RaggedTensor": ("ragged", "RaggedTensor"),
    "RaggedTensorSpec": ("ragged", "RaggedTensorSpec"),
    "SparseTensor": ("sparse", "SparseTensor"),
    "SparseTensorSpec": ("sparse", "SparseTensorSpec"),
    "as_string": ("ops.arrays.text", "as_string"),
    "batch_to_space": ("ops.nn.space_depth", "batch_to_space"),
    "fingerprint": ("ops.strings.hashing", "fingerprint"),
    "edit_distance": ("ops.sparse.edit_distance", "edit_distance"),
    "eig": ("ops.linalg.eigen", "eig"),
    "eigvals": ("ops.linalg.eigen", "eigvals"),
    "extract_volume_patches": ("ops.image.patches", "extract_volume_patches"),
    "matrix_square_root": ("ops.linalg.matrix_functions", "sqrtm"),
    "norm": ("ops.linalg.norms", "norm"),
    "constant_initializer": ("api.initializers.simple", "constant_initializer"),
    "ones_initializer": ("api.initializers.simple", "ones_initializer"),
    "random_normal_initializer": ("api.initializers.simple", "random_normal_initializer"),
    "random_uniform_initializer": ("api.initializers.simple", "random_uniform_initializer"),
    "zeros_initializer": ("api.initializers.simple", "zeros_initializer"),
    "required_space_to_batch_paddings": (
        "ops.nn.conv.with_space_to_batch",
        "required_space_to_batch_paddings",
    ),
    "space_to_batch": ("ops.nn.space_depth", "space_to_batch"),
    "space_to_batch_nd": ("ops.nn.space_depth", "space_to_batch_nd"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_ELSEWHERE})


# Type checkers know the names from above, and shall know that there are no others.
if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        if name in _LATER:
            return _load_module(f"wengert.{name}")
        if name in _ELSEWHERE:
            module, function = _ELSEWHERE[name]
            found = getattr(_load_module(f"wengert.{module}"), function)
            globals()[name] = found
            return found
        said = "" if name.startswith("_") else _instead_of(name)
        # With these two Python says what is near, when somebody reads the message.
        raise AttributeError(
            f"module 'wengert' has no attribute {name!r}{said and f'. {said}'}",
            name=name,
            obj=_sys.modules["wengert"],
        )

    __all__ = [name for name in __dir__() if name[0] != "_"]

    def _instead_of(name: str) -> str:
        found: str = _load_module("wengert.api.advice").instead_of(name)
        return found


_kinks_declared_later(lambda: _load_module("wengert.ops.nn.pool.ties"))
_exchange.given_by(lambda: _load_module("wengert.compat.graph_defs.descriptions"))
_answers.given_by(lambda: _load_module("wengert.insight.answers"))


@_declared_later
def _declare_the_rest() -> None:
    """Enter into the table the operations of all namespaces."""
    for name in (
        "compat.v1",
        "compat.v1.strings",
        "image",
        "linalg",
        "nn",
        "ops.sparse.edit_distance",
        "ops.stable.rows",
        "ops.image.patches",
        "ops.arrays.partitioning",
        "ops.arrays.text",
        "ops.arrays.raw_bytes",
        "strings",
        "lookup",
        "ops.special.bessel",
        "ops.special.incomplete_gamma",
        "ops.control.list_ops",
        "ops.control.tensor_map",
        "ops.reductions.order_statistic",
        "ops.reductions.unique",
        "quantization",
        "ragged",
        "random",
        "sets",
        "signal",
        "sparse",
    ):
        _load_module(f"wengert.{name}")


__version__ = "0.1.0"
