"""tf.compat.v1: the API of TensorFlow 1. Names that did not change are those of tf."""

import sys as _sys
from typing import Any as _Any

from wengert.api.advice import absent as _absent
from wengert.api.gradients.graph_gradients import AggregationMethod as AggregationMethod
from wengert.api.gradients.registration import no_gradient as no_gradient
from wengert.api.session.modes import colocate_with as colocate_with
from wengert.api.session.modes import control_dependencies as control_dependencies
from wengert.api.session.modes import disable_eager_execution as disable_eager_execution
from wengert.api.session.modes import enable_eager_execution as enable_eager_execution
from wengert.api.session.modes import get_default_graph as get_default_graph
from wengert.api.session.modes import has_default_graph as has_default_graph
from wengert.api.session.modes import name_scope as name_scope
from wengert.api.session.modes import reset_default_graph as reset_default_graph
from wengert.api.session.placeholders import placeholder as placeholder
from wengert.api.session.placeholders import placeholder_with_default as placeholder_with_default
from wengert.api.session.session import IndexedSlicesValue as IndexedSlicesValue
from wengert.api.session.session import InteractiveSession as InteractiveSession
from wengert.api.session.session import Session as Session
from wengert.api.session.session import get_default_session as get_default_session
from wengert.api.variables.get_variable import get_local_variable as get_local_variable
from wengert.api.variables.get_variable import get_variable as get_variable
from wengert.api.variables.get_variable import no_regularizer as no_regularizer
from wengert.api.variables.graph_variable import GraphKeys as GraphKeys
from wengert.api.variables.scope_values import VariableScope as VariableScope
from wengert.api.variables.variable_scope import get_variable_scope as get_variable_scope
from wengert.api.variables.variable_scope import variable_op_scope as variable_op_scope
from wengert.api.variables.variable_scope import variable_scope as variable_scope
from wengert.api.variables.variable_store import AUTO_REUSE as AUTO_REUSE
from wengert.compat.v1 import app as app
from wengert.compat.v1 import image as image
from wengert.compat.v1 import initializers as initializers
from wengert.compat.v1 import layers as layers
from wengert.compat.v1 import linalg as linalg
from wengert.compat.v1 import logging as logging
from wengert.compat.v1 import losses as losses
from wengert.compat.v1 import math as math
from wengert.compat.v1 import metrics as metrics
from wengert.compat.v1 import mixed_precision as mixed_precision
from wengert.compat.v1 import nn as nn
from wengert.compat.v1 import ragged as ragged
from wengert.compat.v1 import random as random
from wengert.compat.v1 import test as test
from wengert.compat.v1 import train as train
from wengert.compat.v1.config import ConfigProto as ConfigProto
from wengert.compat.v1.config import GPUOptions as GPUOptions
from wengert.compat.v1.config import GraphOptions as GraphOptions
from wengert.compat.v1.config import OptimizerOptions as OptimizerOptions
from wengert.compat.v1.config import RunMetadata as RunMetadata
from wengert.compat.v1.config import RunOptions as RunOptions
from wengert.compat.v1.functions import aliases, linear_algebra, sparse_tensors
from wengert.compat.v1.functions.arrays import angle as angle
from wengert.compat.v1.functions.arrays import batch_gather as batch_gather
from wengert.compat.v1.functions.arrays import boolean_mask as boolean_mask
from wengert.compat.v1.functions.arrays import ceil as ceil
from wengert.compat.v1.functions.arrays import clip_by_average_norm as clip_by_average_norm
from wengert.compat.v1.functions.arrays import confusion_matrix as confusion_matrix
from wengert.compat.v1.functions.arrays import conj as conj
from wengert.compat.v1.functions.arrays import constant as constant
from wengert.compat.v1.functions.arrays import convert_to_tensor as convert_to_tensor
from wengert.compat.v1.functions.arrays import div as div
from wengert.compat.v1.functions.arrays import expand_dims as expand_dims
from wengert.compat.v1.functions.arrays import expm1 as expm1
from wengert.compat.v1.functions.arrays import gather as gather
from wengert.compat.v1.functions.arrays import gather_nd as gather_nd
from wengert.compat.v1.functions.arrays import imag as imag
from wengert.compat.v1.functions.arrays import is_finite as is_finite
from wengert.compat.v1.functions.arrays import is_inf as is_inf
from wengert.compat.v1.functions.arrays import is_nan as is_nan
from wengert.compat.v1.functions.arrays import log as log
from wengert.compat.v1.functions.arrays import log1p as log1p
from wengert.compat.v1.functions.arrays import ones_like as ones_like
from wengert.compat.v1.functions.arrays import pad as pad
from wengert.compat.v1.functions.arrays import real as real
from wengert.compat.v1.functions.arrays import reciprocal as reciprocal
from wengert.compat.v1.functions.arrays import reverse_sequence as reverse_sequence
from wengert.compat.v1.functions.arrays import rint as rint
from wengert.compat.v1.functions.arrays import rsqrt as rsqrt
from wengert.compat.v1.functions.arrays import setdiff1d as setdiff1d
from wengert.compat.v1.functions.arrays import shape as shape
from wengert.compat.v1.functions.arrays import size as size
from wengert.compat.v1.functions.arrays import squeeze as squeeze
from wengert.compat.v1.functions.arrays import to_bfloat16 as to_bfloat16
from wengert.compat.v1.functions.arrays import to_complex64 as to_complex64
from wengert.compat.v1.functions.arrays import to_complex128 as to_complex128
from wengert.compat.v1.functions.arrays import to_double as to_double
from wengert.compat.v1.functions.arrays import to_float as to_float
from wengert.compat.v1.functions.arrays import to_int32 as to_int32
from wengert.compat.v1.functions.arrays import to_int64 as to_int64
from wengert.compat.v1.functions.arrays import transpose as transpose
from wengert.compat.v1.functions.arrays import zeros_like as zeros_like
from wengert.compat.v1.functions.asserts import add_check_numerics_ops as add_check_numerics_ops
from wengert.compat.v1.functions.asserts import assert_equal as assert_equal
from wengert.compat.v1.functions.asserts import assert_greater as assert_greater
from wengert.compat.v1.functions.asserts import assert_greater_equal as assert_greater_equal
from wengert.compat.v1.functions.asserts import assert_less as assert_less
from wengert.compat.v1.functions.asserts import assert_less_equal as assert_less_equal
from wengert.compat.v1.functions.asserts import assert_near as assert_near
from wengert.compat.v1.functions.asserts import assert_negative as assert_negative
from wengert.compat.v1.functions.asserts import assert_non_negative as assert_non_negative
from wengert.compat.v1.functions.asserts import assert_non_positive as assert_non_positive
from wengert.compat.v1.functions.asserts import assert_none_equal as assert_none_equal
from wengert.compat.v1.functions.asserts import assert_positive as assert_positive
from wengert.compat.v1.functions.asserts import assert_rank as assert_rank
from wengert.compat.v1.functions.asserts import assert_rank_at_least as assert_rank_at_least
from wengert.compat.v1.functions.asserts import assert_rank_in as assert_rank_in
from wengert.compat.v1.functions.asserts import assert_scalar as assert_scalar
from wengert.compat.v1.functions.asserts import (
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from wengert.compat.v1.functions.control import Print as Print
from wengert.compat.v1.functions.control import cond as cond
from wengert.compat.v1.functions.control import py_func as py_func
from wengert.compat.v1.functions.control import tuple as tuple
from wengert.compat.v1.functions.control import where as where
from wengert.compat.v1.functions.control import while_loop as while_loop
from wengert.compat.v1.functions.gradients import gradients as gradients
from wengert.compat.v1.functions.gradients import hessians as hessians
from wengert.compat.v1.functions.partitioners import (
    create_partitioned_variables as create_partitioned_variables,
)
from wengert.compat.v1.functions.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
)
from wengert.compat.v1.functions.partitioners import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from wengert.compat.v1.functions.partitioners import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from wengert.compat.v1.functions.poolings import batch_to_space as batch_to_space
from wengert.compat.v1.functions.poolings import batch_to_space_nd as batch_to_space_nd
from wengert.compat.v1.functions.poolings import depth_to_space as depth_to_space
from wengert.compat.v1.functions.poolings import extract_image_patches as extract_image_patches
from wengert.compat.v1.functions.poolings import space_to_batch as space_to_batch
from wengert.compat.v1.functions.poolings import space_to_depth as space_to_depth
from wengert.compat.v1.functions.reductions import arg_max as arg_max
from wengert.compat.v1.functions.reductions import arg_min as arg_min
from wengert.compat.v1.functions.reductions import argmax as argmax
from wengert.compat.v1.functions.reductions import argmin as argmin
from wengert.compat.v1.functions.reductions import count_nonzero as count_nonzero
from wengert.compat.v1.functions.reductions import norm as norm
from wengert.compat.v1.functions.reductions import reduce_all as reduce_all
from wengert.compat.v1.functions.reductions import reduce_any as reduce_any
from wengert.compat.v1.functions.reductions import reduce_logsumexp as reduce_logsumexp
from wengert.compat.v1.functions.reductions import reduce_max as reduce_max
from wengert.compat.v1.functions.reductions import reduce_mean as reduce_mean
from wengert.compat.v1.functions.reductions import reduce_min as reduce_min
from wengert.compat.v1.functions.reductions import reduce_prod as reduce_prod
from wengert.compat.v1.functions.reductions import reduce_sum as reduce_sum
from wengert.compat.v1.functions.switches import container as container
from wengert.compat.v1.functions.switches import control_flow_v2_enabled as control_flow_v2_enabled
from wengert.compat.v1.functions.switches import device as device
from wengert.compat.v1.functions.switches import disable_control_flow_v2 as disable_control_flow_v2
from wengert.compat.v1.functions.switches import (
    disable_resource_variables as disable_resource_variables,
)
from wengert.compat.v1.functions.switches import disable_v2_behavior as disable_v2_behavior
from wengert.compat.v1.functions.switches import (
    disable_v2_tensorshape as disable_v2_tensorshape,
)
from wengert.compat.v1.functions.switches import enable_control_flow_v2 as enable_control_flow_v2
from wengert.compat.v1.functions.switches import (
    enable_resource_variables as enable_resource_variables,
)
from wengert.compat.v1.functions.switches import enable_tensor_equality as enable_tensor_equality
from wengert.compat.v1.functions.switches import enable_v2_behavior as enable_v2_behavior
from wengert.compat.v1.functions.switches import enable_v2_tensorshape as enable_v2_tensorshape
from wengert.compat.v1.functions.switches import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from wengert.compat.v1.functions.switches import initialize_all_tables as initialize_all_tables
from wengert.compat.v1.functions.switches import op_scope as op_scope
from wengert.compat.v1.functions.switches import (
    resource_variables_enabled as resource_variables_enabled,
)
from wengert.compat.v1.functions.switches import tables_initializer as tables_initializer
from wengert.compat.v1.functions.templates import make_template as make_template
from wengert.compat.v1.functions.variables import Variable as Variable
from wengert.compat.v1.functions.variables import add_to_collection as add_to_collection
from wengert.compat.v1.functions.variables import add_to_collections as add_to_collections
from wengert.compat.v1.functions.variables import all_variables as all_variables
from wengert.compat.v1.functions.variables import (
    assert_variables_initialized as assert_variables_initialized,
)
from wengert.compat.v1.functions.variables import assign as assign
from wengert.compat.v1.functions.variables import assign_add as assign_add
from wengert.compat.v1.functions.variables import assign_sub as assign_sub
from wengert.compat.v1.functions.variables import batch_scatter_update as batch_scatter_update
from wengert.compat.v1.functions.variables import get_collection as get_collection
from wengert.compat.v1.functions.variables import get_collection_ref as get_collection_ref
from wengert.compat.v1.functions.variables import global_variables as global_variables
from wengert.compat.v1.functions.variables import (
    global_variables_initializer as global_variables_initializer,
)
from wengert.compat.v1.functions.variables import (
    initialize_all_variables as initialize_all_variables,
)
from wengert.compat.v1.functions.variables import (
    initialize_local_variables as initialize_local_variables,
)
from wengert.compat.v1.functions.variables import initialize_variables as initialize_variables
from wengert.compat.v1.functions.variables import local_variables as local_variables
from wengert.compat.v1.functions.variables import (
    local_variables_initializer as local_variables_initializer,
)
from wengert.compat.v1.functions.variables import model_variables as model_variables
from wengert.compat.v1.functions.variables import (
    moving_average_variables as moving_average_variables,
)
from wengert.compat.v1.functions.variables import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from wengert.compat.v1.functions.variables import scatter_add as scatter_add
from wengert.compat.v1.functions.variables import scatter_div as scatter_div
from wengert.compat.v1.functions.variables import scatter_max as scatter_max
from wengert.compat.v1.functions.variables import scatter_min as scatter_min
from wengert.compat.v1.functions.variables import scatter_mul as scatter_mul
from wengert.compat.v1.functions.variables import scatter_nd_add as scatter_nd_add
from wengert.compat.v1.functions.variables import scatter_nd_sub as scatter_nd_sub
from wengert.compat.v1.functions.variables import scatter_nd_update as scatter_nd_update
from wengert.compat.v1.functions.variables import scatter_sub as scatter_sub
from wengert.compat.v1.functions.variables import scatter_update as scatter_update
from wengert.compat.v1.functions.variables import trainable_variables as trainable_variables
from wengert.compat.v1.functions.variables import variables_initializer as variables_initializer
from wengert.compat.v1.functions.wrapped import wrap_function as wrap_function
from wengert.compat.v1.inputs.readers import FixedLengthRecordReader as FixedLengthRecordReader
from wengert.compat.v1.inputs.readers import IdentityReader as IdentityReader
from wengert.compat.v1.inputs.readers import LMDBReader as LMDBReader
from wengert.compat.v1.inputs.readers import ReaderBase as ReaderBase
from wengert.compat.v1.inputs.readers import TextLineReader as TextLineReader
from wengert.compat.v1.inputs.readers import TFRecordReader as TFRecordReader
from wengert.compat.v1.inputs.readers import WholeFileReader as WholeFileReader
from wengert.compat.v1.queues.accumulators import ConditionalAccumulator as ConditionalAccumulator
from wengert.compat.v1.queues.accumulators import (
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
)
from wengert.compat.v1.queues.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from wengert.compat.v1.queues.session_handles import delete_session_tensor as delete_session_tensor
from wengert.compat.v1.queues.session_handles import get_session_handle as get_session_handle
from wengert.compat.v1.queues.session_handles import get_session_tensor as get_session_tensor
from wengert.host.locks import load_module as _load_module
from wengert.ops.arrays.identity import check_numerics as check_numerics
from wengert.ops.control.asserts import assert_integer as assert_integer
from wengert.ops.control.asserts import assert_proper_iterable as assert_proper_iterable
from wengert.ops.control.asserts import assert_same_float_dtype as assert_same_float_dtype
from wengert.ops.control.asserts import assert_type as assert_type
from wengert.ops.control.asserts import is_numeric_tensor as is_numeric_tensor
from wengert.ops.state.assignments import count_up_to as count_up_to
from wengert.ops.state.assignments import is_variable_initialized as is_variable_initialized
from wengert.values.dimensions import Dimension as Dimension
from wengert.values.dimensions import dimension_at_index as dimension_at_index
from wengert.values.dimensions import dimension_value as dimension_value

NoGradient = no_gradient
VERSION = __version__ = "2.21.0"  # of the TensorFlow that we replace
GIT_VERSION = f"v{VERSION}"
globals().update(random.V1_NAMES)
globals().update(linear_algebra.V1_NAMES)
globals().update(sparse_tensors.V1_NAMES)
globals().update(initializers.V1_NAMES)


_MESSAGES = (
    "AttrValue",
    "Event",
    "GraphDef",
    "HistogramProto",
    "MetaGraphDef",
    "NameAttrList",
    "NodeDef",
    "Summary",
    "SummaryMetadata",
    "TensorInfo",
)


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    if name == "flags":
        return app.flags
    if name in (
        "autograph",
        "data",
        "debugging",
        "gfile",
        "io",
        "manip",
        "python_io",
        "sets",
        "sparse",
        "spectral",
        "strings",
        "saved_model",
        "summary",
    ):  # each loads much that few programs need
        return _load_module(f"wengert.compat.v1.{name}")
    if name == "graph_util":
        return _load_module("wengert.compat.v1.graph_files.graph_util")
    if name in _MESSAGES:
        return _load_module("wengert.compat.graph_defs.protos").message(name)
    try:
        return aliases.find(name)
    except AttributeError:
        return _absent("compat.v1")(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES, *aliases.ALIASES, *dir(_sys.modules["wengert"])})
