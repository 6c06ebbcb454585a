"""Parts of TensorFlow that are not public, and that programs use by the names of its modules.

auto_control_deps  effects of a graph in the order of the program
registry           things by their names, each with the place where it was registered
subscribe          side effects that see the value of a tensor before its readers
traceable_stack    a stack that knows from where each thing was pushed
kinds              what kind of value something is
random_states      the numbers of random algorithms, and the sizes of their states
gradient_parts     what TensorFlow's gradient functions are made of
gradient_functions  the gradients of operations as functions, and the registry of all of them
lookups          rows of tables, through functions
optionals        optionals as the variants that stand for them
handle_data      what is known of the value behind a handle
meta_graphs      graphs with their collections, as MetaGraphDef
"""
