"""tf.optimizers: what changes variables by their gradients."""

from wengert.optimizers import schedules as schedules
from wengert.train.adaptive import Adadelta as Adadelta
from wengert.train.adaptive import Adagrad as Adagrad
from wengert.train.adaptive import Ftrl as Ftrl
from wengert.train.adaptive import RMSprop as RMSprop
from wengert.train.descent import SGD as SGD
from wengert.train.descent import Lion as Lion
from wengert.train.moments import Adam as Adam
from wengert.train.moments import Adamax as Adamax
from wengert.train.moments import AdamW as AdamW
from wengert.train.moments import Nadam as Nadam
from wengert.train.norms import Adafactor as Adafactor
from wengert.train.norms import Lamb as Lamb
from wengert.train.norms import ScheduleFreeAdamW as ScheduleFreeAdamW
from wengert.train.optimizer import Optimizer as Optimizer
from wengert.train.optimizer_names import deserialize as deserialize
from wengert.train.optimizer_names import get as get
from wengert.train.optimizer_names import serialize as serialize
