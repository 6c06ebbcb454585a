"""Values: dtypes, shapes, tensors, and what else an operation takes and gives.

typing          What functions take and give, for the annotations: only type checkers read it
bound_ops       The few operations that the machine itself uses
dtypes          Data types: TensorFlow's names over NumPy's types
dimensions      Single sizes of shapes, as objects of a class in TensorFlow 1
shapes          Shapes: TensorShape for people, tuples of integers for the machine
exits           Where values leave the library, for those who ask why a gradient is missing
value           What tensors and variables have in common: an array, an identity, and Python's
                conversions
on_device       Values that live on a device, and are fetched when NumPy asks for them
tensor          The eager tensor: an array that does not change, and an identity that recorders
                can follow
convert         From Python and NumPy values to tensors, with TensorFlow's rules for dtypes
weak            Tensors whose dtype gives way to another's, where operations promote
sizes           Symbolic sizes, known only at run time: exact integer terms, compared where bounds
                prove it
open_size       Sizes of which another call may bring others: numbers that have a name in machine
                code
symbolic        Values that a graph will compute: what is known of them before it runs
indexed_slices  IndexedSlices: a gradient that is zero outside a few rows
composite       Composite values: made of several tensors, and taken as one by gradients, functions
                and sessions
nest            Nested structures: lists, tuples, dictionaries and what behaves like them
type_spec       Type specs: what is known of a value before there is one
known_places    Where TensorFlow has the classes by whose modules and names programs know its values
foreign_errors  Errors of Python's or NumPy's from within, told with the call that the user wrote
typed_calls     What other types do for public functions: tf.abs of a ragged tensor
"""
