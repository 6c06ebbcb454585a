"""Elementary functions as scalar code without branches, a file a family.

building_blocks        What the functions of `mathematics` are made of
argument_reduction     The angle that is left of a large number when quarter turns are taken away,
                       in whole numbers
exponentials           exp, exp2, expm1, tanh and sigmoid
error_functions        erf and erfc
logarithms             log, log2, log10 and log1p
hyperbolic             sinh and cosh, and the inverse hyperbolic functions; tanh stands with the
                       exponentials
inverse_trigonometric  atan, atan2, asin and acos
powers                 pow, which is exp(y log(x)), for which log(x) is needed to more places than
                       a number has
trigonometric          sin, cos and tan
elementary             exp, log, sin and the others: scalar code without branches, written with
                       lanes
"""
