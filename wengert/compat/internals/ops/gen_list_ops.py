"""tensorflow.python.ops.gen_list_ops: lists of tensors, by their generated functions."""

from wengert.ops.control.list_ops import empty_tensor_list as empty_tensor_list
from wengert.ops.control.list_ops import tensor_list_concat as tensor_list_concat
from wengert.ops.control.list_ops import tensor_list_concat_v2 as tensor_list_concat_v2
from wengert.ops.control.list_ops import tensor_list_element_shape as tensor_list_element_shape
from wengert.ops.control.list_ops import tensor_list_from_tensor as tensor_list_from_tensor
from wengert.ops.control.list_ops import tensor_list_gather as tensor_list_gather
from wengert.ops.control.list_ops import tensor_list_get_item as tensor_list_get_item
from wengert.ops.control.list_ops import tensor_list_length as tensor_list_length
from wengert.ops.control.list_ops import tensor_list_pop_back as tensor_list_pop_back
from wengert.ops.control.list_ops import tensor_list_push_back as tensor_list_push_back
from wengert.ops.control.list_ops import tensor_list_reserve as tensor_list_reserve
from wengert.ops.control.list_ops import tensor_list_resize as tensor_list_resize
from wengert.ops.control.list_ops import tensor_list_scatter as tensor_list_scatter
from wengert.ops.control.list_ops import tensor_list_set_item as tensor_list_set_item
from wengert.ops.control.list_ops import tensor_list_split as tensor_list_split
from wengert.ops.control.list_ops import tensor_list_stack as tensor_list_stack
