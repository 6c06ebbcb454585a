"""TensorFlow's messages, by the package protobuf: GraphDef, TensorProto, Example and what they hold.

Fields are listed as `name=number:kind`; a star makes a list of it, two kinds a map, and a bar after the number says
that it is one of the message's alternatives.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Sequence
from typing import Any, Final

_PACKAGE: Final = "tensorflow"
_MESSAGES: Final = """
TensorShapeProto: dim=2:TensorShapeProto.Dim* unknown_rank=3:bool
TensorShapeProto.Dim: size=1:int64 name=2:string
TensorProto: dtype=1:DataType tensor_shape=2:TensorShapeProto version_number=3:int32 tensor_content=4:bytes
    float_val=5:float* double_val=6:double* int_val=7:int32* string_val=8:bytes* scomplex_val=9:float* int64_val=10:int64*
    bool_val=11:bool* dcomplex_val=12:double* half_val=13:int32* variant_val=15:VariantTensorDataProto*
    uint32_val=16:uint32* uint64_val=17:uint64* float8_val=18:bytes
VariantTensorDataProto: type_name=1:string metadata=2:bytes tensors=3:TensorProto*
AttrValue: s=2|bytes i=3|int64 f=4|float b=5|bool type=6|DataType shape=7|TensorShapeProto tensor=8|TensorProto
    list=1|AttrValue.ListValue func=10|NameAttrList placeholder=9|string
AttrValue.ListValue: s=2:bytes* i=3:int64* f=4:float* b=5:bool* type=6:DataType* shape=7:TensorShapeProto* tensor=8:TensorProto*
    func=9:NameAttrList*
NameAttrList: name=1:string attr=2:string,AttrValue
NodeDef: name=1:string op=2:string input=3:string* device=4:string attr=5:string,AttrValue
VersionDef: producer=1:int32 min_consumer=2:int32 bad_consumers=3:int32*
OpDef: name=1:string input_arg=2:OpDef.ArgDef* output_arg=3:OpDef.ArgDef* attr=4:OpDef.AttrDef* summary=5:string
    description=6:string is_aggregate=16:bool is_stateful=17:bool is_commutative=18:bool allows_uninitialized_input=19:bool
    control_output=20:string*
OpDef.ArgDef: name=1:string description=2:string type=3:DataType type_attr=4:string number_attr=5:string type_list_attr=6:string
    is_ref=16:bool
OpDef.AttrDef: name=1:string type=2:string default_value=3:AttrValue description=4:string has_minimum=5:bool minimum=6:int64
    allowed_values=7:AttrValue
FunctionDef: signature=1:OpDef attr=5:string,AttrValue node_def=3:NodeDef* ret=4:string,string control_ret=6:string,string
    arg_attr=7:uint32,FunctionDef.ArgAttrs
FunctionDef.ArgAttrs: attr=1:string,AttrValue
GradientDef: function_name=1:string gradient_func=2:string
FunctionDefLibrary: function=1:FunctionDef* gradient=2:GradientDef* registered_gradients=3:RegisteredGradient*
GraphDef: node=1:NodeDef* library=2:FunctionDefLibrary version=3:int32 versions=4:VersionDef
FullTypeDef: type_id=1:FullTypeId args=2:FullTypeDef* attr=3:string
RegisteredGradient: gradient_func=1:string registered_op_type=2:string
SummaryDescription: type_hint=1:string
SummaryMetadata: plugin_data=1:SummaryMetadata.PluginData display_name=2:string summary_description=3:string data_class=4:int32
SummaryMetadata.PluginData: plugin_name=1:string content=2:bytes
HistogramProto: min=1:double max=2:double num=3:double sum=4:double sum_squares=5:double bucket_limit=6:double* bucket=7:double*
Summary: value=1:Summary.Value*
Summary.Image: height=1:int32 width=2:int32 colorspace=3:int32 encoded_image_string=4:bytes
Summary.Audio: sample_rate=1:float num_channels=2:int64 length_frames=3:int64 encoded_audio_string=4:bytes content_type=5:string
Summary.Value: node_name=7:string tag=1:string metadata=9:SummaryMetadata simple_value=2|float image=4|Summary.Image
    histo=5|HistogramProto audio=6|Summary.Audio tensor=8|TensorProto
TaggedRunMetadata: tag=1:string run_metadata=2:bytes
SourceMetadata: writer=1:string
Event: wall_time=1:double step=2:int64 file_version=3|string graph_def=4|bytes summary=5|Summary
    tagged_run_metadata=8|TaggedRunMetadata meta_graph_def=9|bytes source_metadata=10:SourceMetadata
TensorInfo: name=1|string dtype=2:DataType tensor_shape=3:TensorShapeProto
SignatureDef: inputs=1:string,TensorInfo outputs=2:string,TensorInfo method_name=3:string
AssetFileDef: tensor_info=1:TensorInfo filename=2:string
SaverDef: filename_tensor_name=1:string save_tensor_name=2:string restore_op_name=3:string max_to_keep=4:int32 sharded=5:bool
    keep_checkpoint_every_n_hours=6:float version=7:int32
MetaInfoDef: meta_graph_version=1:string tags=4:string* tensorflow_version=5:string tensorflow_git_version=6:string
    stripped_default_attrs=7:bool function_aliases=8:string,string
CollectionDef: node_list=1|CollectionDef.NodeList bytes_list=2|CollectionDef.BytesList int64_list=3|CollectionDef.Int64List
    float_list=4|CollectionDef.FloatList
CollectionDef.NodeList: value=1:string*
CollectionDef.BytesList: value=1:bytes*
CollectionDef.Int64List: value=1:int64*
CollectionDef.FloatList: value=1:float*
SaveSliceInfoDef: full_name=1:string full_shape=2:int64* var_offset=3:int64* var_shape=4:int64*
VariableDef: variable_name=1:string initializer_name=2:string snapshot_name=3:string save_slice_info_def=4:SaveSliceInfoDef
    is_resource=5:bool initial_value_name=6:string trainable=7:bool synchronization=8:int32 aggregation=9:int32
MetaGraphDef: meta_info_def=1:MetaInfoDef graph_def=2:GraphDef saver_def=3:SaverDef collection_def=4:string,CollectionDef
    signature_def=5:string,SignatureDef asset_file_def=6:AssetFileDef* object_graph_def=7:SavedObjectGraph
SavedModel: saved_model_schema_version=1:int64 meta_graphs=2:MetaGraphDef*
SavedObjectGraph: nodes=1:SavedObject* concrete_functions=2:string,SavedConcreteFunction
ObjectReference: node_id=1:int32 local_name=2:string
SlotVariableReference: original_variable_node_id=1:int32 slot_name=2:string slot_variable_node_id=3:int32
SavedObject: children=1:ObjectReference* slot_variables=3:SlotVariableReference* user_object=4|SavedUserObject asset=5|SavedAsset
    function=6|SavedFunction variable=7|SavedVariable bare_concrete_function=8|SavedBareConcreteFunction constant=9|SavedConstant
    resource=10|SavedResource captured_tensor=12|CapturedTensor registered_name=13:string
SavedUserObject: identifier=1:string version=2:VersionDef metadata=3:string
SavedAsset: asset_file_def_index=1:int32
SavedFunction: concrete_functions=1:string* function_spec=2:FunctionSpec
CapturedTensor: name=1:string concrete_function=2:string
SavedConcreteFunction: bound_inputs=2:int32* canonicalized_input_signature=3:StructuredValue output_signature=4:StructuredValue
SavedBareConcreteFunction: concrete_function_name=1:string argument_keywords=2:string* allowed_positional_arguments=3:int64
    function_spec=4:FunctionSpec
SavedConstant: operation=1:string
SavedVariable: dtype=1:DataType shape=2:TensorShapeProto trainable=3:bool synchronization=4:int32 aggregation=5:int32 name=6:string
    device=7:string
SavedResource: device=1:string
FunctionSpec: fullargspec=1:StructuredValue is_method=2:bool input_signature=5:StructuredValue jit_compile=6:int32
NoneValue: unused=15:bool
StructuredValue: none_value=1|NoneValue float64_value=11|double int64_value=12|sint64 string_value=13|string bool_value=14|bool
    tensor_shape_value=31|TensorShapeProto tensor_dtype_value=32|DataType tensor_spec_value=33|TensorSpecProto
    type_spec_value=34|TypeSpecProto list_value=51|ListValue tuple_value=52|TupleValue dict_value=53|DictValue
    named_tuple_value=54|NamedTupleValue tensor_value=55|TensorProto numpy_value=56|TensorProto
TensorSpecProto: name=1:string shape=2:TensorShapeProto dtype=3:DataType
TypeSpecProto: type_spec_class=1:int32 type_state=2:StructuredValue type_spec_class_name=3:string num_flat_components=4:int32
ListValue: values=1:StructuredValue*
TupleValue: values=1:StructuredValue*
DictValue: fields=1:string,StructuredValue
PairValue: key=1:string value=2:StructuredValue
NamedTupleValue: name=1:string values=2:PairValue*
BytesList: value=1:bytes*
FloatList: value=1:float*
Int64List: value=1:int64*
Feature: bytes_list=1|BytesList float_list=2|FloatList int64_list=3|Int64List
Features: feature=1:string,Feature
FeatureList: feature=1:Feature*
FeatureLists: feature_list=1:string,FeatureList
Example: features=1:Features
SequenceExample: context=1:Features feature_lists=2:FeatureLists
"""
# The names of the alternatives in a message, where it is not `kind`.
_CHOICES: Final = {
    "AttrValue": "value",
    "Summary.Value": "value",
    "Event": "what",
    "TensorInfo": "encoding",
}
_DTYPES: Final = """
    INVALID=0 FLOAT=1 DOUBLE=2 INT32=3 UINT8=4 INT16=5 INT8=6 STRING=7 COMPLEX64=8 INT64=9 BOOL=10 QINT8=11 QUINT8=12
    QINT32=13 BFLOAT16=14 QINT16=15 QUINT16=16 UINT16=17 COMPLEX128=18 HALF=19 RESOURCE=20 VARIANT=21 UINT32=22 UINT64=23
    FLOAT8_E5M2=24 FLOAT8_E4M3FN=25 FLOAT8_E4M3FNUZ=26 FLOAT8_E4M3B11FNUZ=27 FLOAT8_E5M2FNUZ=28 INT4=29 UINT4=30
"""
_ENUMS: Final = {
    "DataType": [f"DT_{word}" for word in _DTYPES.split()],
    "FullTypeId": [
        f"TFT_{word}"
        for word in [
            "UNSET=0",
            "VAR=1",
            "ANY=2",
            "PRODUCT=3",
            "NAMED=4",
            "TENSOR=1000",
            "ARRAY=1001",
            "OPTIONAL=1002",
            "DATASET=10102",
        ]
    ],
}


@functools.cache
def _library() -> Any:
    try:
        importlib.import_module("google.protobuf.descriptor_pb2")
    except ImportError as error:
        raise ImportError(
            "Protocol buffers such as GraphDef need the package protobuf: "
            "pip install 'wengert[protobuf]'."
        ) from error
    return importlib.import_module("google.protobuf")


def is_there() -> bool:
    """Whether the package protobuf is installed."""
    try:
        _library()
    except ImportError:
        return False
    return True


def message(name: str) -> Any:
    """The class of a message, such as GraphDef or AttrValue.ListValue."""
    _library()
    factory = importlib.import_module("google.protobuf.message_factory")
    return factory.GetMessageClass(_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}"))


def enum(name: str) -> Any:
    """An enumeration, by which `Name` and `Value` are found."""
    _library()
    wrapper = importlib.import_module("google.protobuf.internal.enum_type_wrapper")
    return wrapper.EnumTypeWrapper(_pool().FindEnumTypeByName(f"{_PACKAGE}.{name}"))


def decode_error() -> type[Exception]:
    """What is raised where bytes are no message."""
    _library()
    found: type[Exception] = importlib.import_module("google.protobuf.message").DecodeError
    return found


def text_of(value: Any) -> str:
    """A message as text, which `of_text` reads."""
    return str(importlib.import_module("google.protobuf.text_format").MessageToString(value))


def of_text(text: str, kind: Any) -> Any:
    """A message from text; raises ValueError if it is none of the kind."""
    text_format = importlib.import_module("google.protobuf.text_format")
    try:
        return text_format.Parse(text, kind())
    except text_format.ParseError as error:
        raise ValueError(str(error)) from None


def names() -> list[str]:
    """The messages at the top."""
    return [name for name, _ in _lines() if "." not in name]


@functools.cache
def _pool() -> Any:
    """The descriptions of all messages; apart from those of another package in the process."""
    pb = importlib.import_module("google.protobuf.descriptor_pb2")
    file = pb.FileDescriptorProto(
        name="tensorflow/framework.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, values in _ENUMS.items():
        made = file.enum_type.add(name=name)
        for word in values:
            key, _, number = word.partition("=")
            made.value.add(name=key, number=int(number))
    messages: dict[str, Any] = {}
    for name, fields in _lines():
        outer, _, own = name.rpartition(".")
        messages[name] = (messages[outer].nested_type if outer else file.message_type).add(name=own)
        for text in fields.split():
            _add_field(pb, messages[name], name, text)
    pool = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
    pool.Add(file)
    return pool


def _lines() -> list[tuple[str, str]]:
    joined = re.sub(r"\n\s+", " ", _MESSAGES.strip())
    return [
        (name, fields) for name, _, fields in (line.partition(":") for line in joined.split("\n"))
    ]


def _add_field(pb: Any, made: Any, owner: str, text: str) -> None:
    found = re.fullmatch(r"(\w+)=(\d+)([:|])([\w.]+)(\*?)(?:,([\w.]+))?", text)
    assert found is not None, text
    name, number, sign, kind, star, of_map = found.groups()
    field = made.field.add(name=name, number=int(number))
    field.label = field.LABEL_REPEATED if star or of_map else field.LABEL_OPTIONAL
    if of_map:
        entry = made.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
        entry.options.map_entry = True
        for at, (key, of) in enumerate((("key", kind), ("value", of_map)), 1):
            part = entry.field.add(name=key, number=at, label=field.LABEL_OPTIONAL)
            _set_type(pb, part, of)
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{owner}.{entry.name}"
        return
    _set_type(pb, field, kind)
    if sign == "|":
        if not made.oneof_decl:
            made.oneof_decl.add(name=_CHOICES.get(owner, "kind"))
        field.oneof_index = 0


def _set_type(pb: Any, field: Any, kind: str) -> None:
    plain = getattr(pb.FieldDescriptorProto, f"TYPE_{kind.upper()}", None)
    if plain is not None:
        field.type = plain
        return
    field.type = field.TYPE_ENUM if kind in _ENUMS else field.TYPE_MESSAGE
    field.type_name = f".{_PACKAGE}.{kind}"


def shape_proto(dims: Sequence[int | None] | None) -> Any:
    """Sizes as TensorShapeProto; None is an unknown one, or an unknown rank."""
    proto = message("TensorShapeProto")(unknown_rank=dims is None)
    for size in dims or ():
        proto.dim.add(size=-1 if size is None else size)
    return proto
