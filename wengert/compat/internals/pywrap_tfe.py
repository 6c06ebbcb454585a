"""tensorflow.python.pywrap_tfe: the numbers of the kinds of attributes."""

from wengert.compat.internals.eager.attributes import KINDS

TF_ATTR_STRING, TF_ATTR_INT, TF_ATTR_FLOAT, TF_ATTR_BOOL = (
    KINDS[k] for k in ("string", "int", "float", "bool")
)
TF_ATTR_TYPE, TF_ATTR_SHAPE, TF_ATTR_TENSOR = (KINDS[k] for k in ("type", "shape", "tensor"))
TF_ATTR_PLACEHOLDER, TF_ATTR_FUNC = 7, KINDS["func"]
