"""Special functions.

gamma             Special functions of one variable: gamma, error functions, integrals; polygamma
                  and zeta
bessel            Bessel functions of orders 0 and 1
bivariate_taylor  Truncated Taylor series in two variables, for derivatives of any order
incomplete_gamma  The incomplete gamma and beta functions, with derivatives of every order in all
                  parameters
"""
