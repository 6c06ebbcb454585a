"""NumPy's functions on tensors: `tf.experimental.numpy`, and NumPy itself where a gradient is taken.

promotion     the dtype that several values have in common
declare       how functions of NumPy's names are declared
elementwise   functions of each element
pairs         functions of two values, element by element
reductions    sums, extremes, truths
running       running sums and products, differences, sums of parts
shapes        other shapes
joining       several in one, one in several
creation      new arrays
indexing      elements by their places, diagonals, order
products      products of vectors and matrices
random        random numbers
dtypes        NumPy's names of dtypes
lattice       the dtype that two operands have in common where promotion is TensorFlow's own
weakly        that promotion on tensors, functions and variables
behavior      NumPy's methods and promotion on tensors themselves
linalg        np.linalg
fourier       np.fft
statistics    order, quantiles, histograms, spreads
further       what NumPy has, and tf.experimental.numpy lacks
moved         what only moves elements: NumPy moves their places
polynomials   coefficients of polynomials
scipy_special  SciPy's special functions that tf.math has
counterparts  which function of ours stands for which of NumPy's
dispatch      what NumPy's functions do with tensors
offer         where they are asked at all
"""
