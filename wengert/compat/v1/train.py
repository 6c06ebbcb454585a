"""tf.compat.v1.train: optimizers, learning rates, averages."""

from wengert.compat.v1.functions.steps import assert_global_step as assert_global_step
from wengert.compat.v1.functions.steps import create_global_step as create_global_step
from wengert.compat.v1.functions.steps import get_global_step as get_global_step
from wengert.compat.v1.functions.steps import get_or_create_global_step as get_or_create_global_step
from wengert.compat.v1.functions.steps import global_step as global_step
from wengert.train.decay_functions import cosine_decay as cosine_decay
from wengert.train.decay_functions import cosine_decay_restarts as cosine_decay_restarts
from wengert.train.decay_functions import exponential_decay as exponential_decay
from wengert.train.decay_functions import inverse_time_decay as inverse_time_decay
from wengert.train.decay_functions import linear_cosine_decay as linear_cosine_decay
from wengert.train.decay_functions import natural_exp_decay as natural_exp_decay
from wengert.train.decay_functions import piecewise_constant as piecewise_constant
from wengert.train.decay_functions import piecewise_constant_decay as piecewise_constant_decay
from wengert.train.decay_functions import polynomial_decay as polynomial_decay
from wengert.train.legacy import Optimizer as Optimizer
from wengert.train.legacy_optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from wengert.train.legacy_optimizers import AdagradOptimizer as AdagradOptimizer
from wengert.train.legacy_optimizers import AdamOptimizer as AdamOptimizer
from wengert.train.legacy_optimizers import FtrlOptimizer as FtrlOptimizer
from wengert.train.legacy_optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from wengert.train.legacy_optimizers import MomentumOptimizer as MomentumOptimizer
from wengert.train.legacy_optimizers import RMSPropOptimizer as RMSPropOptimizer
from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
