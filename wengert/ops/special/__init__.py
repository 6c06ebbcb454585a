"""Special functions.

gamma             Special functions of one variable: gamma, error functions, integrals; polygamma
                  and zeta
bessel            Bessel functions of orders 0 and 1
bivariate_taylor  Taylor series in two variables, cut off: derivatives of an order that is not
                  known beforehand
incomplete_gamma  The incomplete gamma and beta functions, with derivatives in every parameter, of
                  every order
"""
