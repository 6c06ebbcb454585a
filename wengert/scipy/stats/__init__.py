"""scipy.stats: densities and distribution functions.

distribution  what all distributions of one number have in common
continuous    those of real numbers
discrete      those of whole numbers
multivariate  those of vectors
"""

from typing import Any

from wengert.scipy.arguments import no_such
from wengert.scipy.stats.continuous import beta as beta
from wengert.scipy.stats.continuous import cauchy as cauchy
from wengert.scipy.stats.continuous import chi2 as chi2
from wengert.scipy.stats.continuous import expon as expon
from wengert.scipy.stats.continuous import f as f
from wengert.scipy.stats.continuous import gamma as gamma
from wengert.scipy.stats.continuous import gumbel_l as gumbel_l
from wengert.scipy.stats.continuous import gumbel_r as gumbel_r
from wengert.scipy.stats.continuous import halfcauchy as halfcauchy
from wengert.scipy.stats.continuous import halfnorm as halfnorm
from wengert.scipy.stats.continuous import invgamma as invgamma
from wengert.scipy.stats.continuous import laplace as laplace
from wengert.scipy.stats.continuous import logistic as logistic
from wengert.scipy.stats.continuous import lognorm as lognorm
from wengert.scipy.stats.continuous import norm as norm
from wengert.scipy.stats.continuous import pareto as pareto
from wengert.scipy.stats.continuous import rayleigh as rayleigh
from wengert.scipy.stats.continuous import t as t
from wengert.scipy.stats.continuous import truncnorm as truncnorm
from wengert.scipy.stats.continuous import uniform as uniform
from wengert.scipy.stats.continuous import vonmises as vonmises
from wengert.scipy.stats.continuous import weibull_min as weibull_min
from wengert.scipy.stats.discrete import bernoulli as bernoulli
from wengert.scipy.stats.discrete import betabinom as betabinom
from wengert.scipy.stats.discrete import binom as binom
from wengert.scipy.stats.discrete import geom as geom
from wengert.scipy.stats.discrete import nbinom as nbinom
from wengert.scipy.stats.discrete import poisson as poisson
from wengert.scipy.stats.discrete import randint as randint
from wengert.scipy.stats.multivariate import dirichlet as dirichlet
from wengert.scipy.stats.multivariate import entropy as entropy
from wengert.scipy.stats.multivariate import multinomial as multinomial
from wengert.scipy.stats.multivariate import multivariate_normal as multivariate_normal


def __getattr__(name: str) -> Any:
    raise no_such("stats", name)
