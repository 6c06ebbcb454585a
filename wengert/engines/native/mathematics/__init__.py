"""Elementary functions as branch-free scalar code, one file per family.

building_blocks        What all of them use: constants, polynomials, sums and quotients in two parts
argument_reduction     Payne-Hanek reduction of large arguments modulo pi/2, in integers
exponentials           exp, exp2, expm1, tanh and sigmoid
bessel_functions       The modified Bessel functions of the first kind, of orders 0 and 1
bessel_second_kind     Those of the second kind
bessel_waves           The Bessel functions of both kinds, of orders 0 and 1
exponential_integral   The exponential integral
error_functions        erf and erfc
quantiles              The inverses of erf, erfc and the normal distribution
gamma_functions        The logarithm of gamma, and its derivatives
logarithms             log, log2, log10 and log1p
hyperbolic             sinh and cosh, and the inverse hyperbolic functions; tanh is with the
                       exponentials
inverse_trigonometric  atan, atan2, asin and acos
powers                 pow as exp(y log(x)), with log(x) in extended precision
remainders             fmod and mod: what division leaves
trigonometric          sin, cos and tan
elementary             All elementary functions by name, and their code for each type
"""
