"""TensorFlow's messages, by the package protobuf: GraphDef, TensorProto, Example and what they hold.

Fields are listed as `name=number:kind`; a star makes a list of it, two kinds a map, and a bar after the number says
that it is one of the message's alternatives.
"""

from __future__ import annotations

import functools
import importlib
import re
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
GradientDef: function_name=1:string gradient_func=2:string
FunctionDefLibrary: function=1:FunctionDef* gradient=2:GradientDef*
GraphDef: node=1:NodeDef* library=2:FunctionDefLibrary version=3:int32 versions=4:VersionDef
FullTypeDef: type_id=1:FullTypeId args=2:FullTypeDef* attr=3:string
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
    found = re.fullmatch(r"(\w+)=(\d+)([:|])([\w.]+)(\*?)(?:,(\w+))?", text)
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
            made.oneof_decl.add(name="value" if owner == "AttrValue" else "kind")
        field.oneof_index = 0


def _set_type(pb: Any, field: Any, kind: str) -> None:
    plain = getattr(pb.FieldDescriptorProto, f"TYPE_{kind.upper()}", None)
    if plain is not None:
        field.type = plain
        return
    field.type = field.TYPE_ENUM if kind in _ENUMS else field.TYPE_MESSAGE
    field.type_name = f".{_PACKAGE}.{kind}"
