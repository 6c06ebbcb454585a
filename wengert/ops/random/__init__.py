"""Random numbers.

philox         Philox 4x32-10: random words from a counter and a key, on whole arrays
distributions  From random words to samples, taking as many words for each as TensorFlow does
rejection      Rejection sampling: gamma, Poisson, binomial
seeds          Seeds, and the generators of stateful operations
rows           The rows of random operations, most of them in two forms
arguments      Conversion and checks of the public random functions' arguments
samplers       Distributions over classes, drawn from word by word as TensorFlow's candidate
               samplers do
candidates     Candidate sampling: a few classes for each step of training, in place of all
parameterized  Random numbers between bounds that are parameters, stateful
sobol          Sobol sequences, which fill a cube evenly
stateful       Stateful random numbers, which differ from call to call: tf.random.uniform, normal
               and others
stateless      Stateless random numbers, functions of a seed: tf.random.stateless_uniform and
               others
"""
