"""tf.compat.v1.losses: losses, which are collected in the graph."""

from wengert.compat.v1.functions.loss_functions import absolute_difference as absolute_difference
from wengert.compat.v1.functions.loss_functions import cosine_distance as cosine_distance
from wengert.compat.v1.functions.loss_functions import hinge_loss as hinge_loss
from wengert.compat.v1.functions.loss_functions import huber_loss as huber_loss
from wengert.compat.v1.functions.loss_functions import log_loss as log_loss
from wengert.compat.v1.functions.loss_functions import (
    mean_pairwise_squared_error as mean_pairwise_squared_error,
)
from wengert.compat.v1.functions.loss_functions import mean_squared_error as mean_squared_error
from wengert.compat.v1.functions.loss_functions import (
    sigmoid_cross_entropy as sigmoid_cross_entropy,
)
from wengert.compat.v1.functions.loss_functions import (
    softmax_cross_entropy as softmax_cross_entropy,
)
from wengert.compat.v1.functions.loss_functions import (
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from wengert.compat.v1.functions.weighted_losses import Reduction as Reduction
from wengert.compat.v1.functions.weighted_losses import add_loss as add_loss
from wengert.compat.v1.functions.weighted_losses import (
    compute_weighted_loss as compute_weighted_loss,
)
from wengert.compat.v1.functions.weighted_losses import get_losses as get_losses
from wengert.compat.v1.functions.weighted_losses import (
    get_regularization_loss as get_regularization_loss,
)
from wengert.compat.v1.functions.weighted_losses import (
    get_regularization_losses as get_regularization_losses,
)
from wengert.compat.v1.functions.weighted_losses import get_total_loss as get_total_loss
