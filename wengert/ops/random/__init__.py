"""Random numbers.

philox         Philox 4x32-10: random words out of a counter and a key, on whole arrays
distributions  From random words to numbers, with the number of words for each number that
               TensorFlow takes
rejection      Numbers that take as many draws as they take: gamma, Poisson, binomial
seeds          Seeds, and the generators of operations that give another result each time they run
rows           The rows of random operations, most of them in two forms
arguments      What the public random functions do with their arguments
sobol          Sobol's points, which fill a cube evenly
stateful       Stateful random numbers, which differ from call to call: tf.random.uniform, normal
               and others
stateless      Stateless random numbers, functions of a seed: tf.random.stateless_uniform and
               others
"""
