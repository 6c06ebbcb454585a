"""tf.initializers: the first values of weights. Each has two names."""

from wengert.api.initializers.initializers import Constant as Constant
from wengert.api.initializers.initializers import GlorotNormal as GlorotNormal
from wengert.api.initializers.initializers import GlorotUniform as GlorotUniform
from wengert.api.initializers.initializers import HeNormal as HeNormal
from wengert.api.initializers.initializers import HeUniform as HeUniform
from wengert.api.initializers.initializers import Identity as Identity
from wengert.api.initializers.initializers import Initializer as Initializer
from wengert.api.initializers.initializers import LecunNormal as LecunNormal
from wengert.api.initializers.initializers import LecunUniform as LecunUniform
from wengert.api.initializers.initializers import Ones as Ones
from wengert.api.initializers.initializers import Orthogonal as Orthogonal
from wengert.api.initializers.initializers import RandomNormal as RandomNormal
from wengert.api.initializers.initializers import RandomUniform as RandomUniform
from wengert.api.initializers.initializers import TruncatedNormal as TruncatedNormal
from wengert.api.initializers.initializers import VarianceScaling as VarianceScaling
from wengert.api.initializers.initializers import Zeros as Zeros
from wengert.api.initializers.names import deserialize as deserialize
from wengert.api.initializers.names import get as get
from wengert.api.initializers.names import serialize as serialize

IdentityInitializer = Identity
OrthogonalInitializer = Orthogonal
constant = Constant
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
he_normal = HeNormal
he_uniform = HeUniform
identity = Identity
lecun_normal = LecunNormal
lecun_uniform = LecunUniform
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
variance_scaling = VarianceScaling
zeros = Zeros
