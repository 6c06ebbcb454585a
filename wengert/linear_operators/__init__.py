"""Linear operators: matrices that need not be materialized."""

from wengert.linear_operators import answers as _answers  # noqa: F401
from wengert.linear_operators.base import LinearOperator as LinearOperator
from wengert.linear_operators.blocks import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from wengert.linear_operators.blocks import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from wengert.linear_operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from wengert.linear_operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from wengert.linear_operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from wengert.linear_operators.combined import LinearOperatorAdjoint as LinearOperatorAdjoint
from wengert.linear_operators.combined import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from wengert.linear_operators.combined import LinearOperatorInversion as LinearOperatorInversion
from wengert.linear_operators.combined import LinearOperatorKronecker as LinearOperatorKronecker
from wengert.linear_operators.from_elements import LinearOperatorDiag as LinearOperatorDiag
from wengert.linear_operators.from_elements import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from wengert.linear_operators.from_elements import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from wengert.linear_operators.from_elements import LinearOperatorToeplitz as LinearOperatorToeplitz
from wengert.linear_operators.from_elements import LinearOperatorTridiag as LinearOperatorTridiag
from wengert.linear_operators.low_rank import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from wengert.linear_operators.simple import LinearOperatorHouseholder as LinearOperatorHouseholder
from wengert.linear_operators.simple import LinearOperatorIdentity as LinearOperatorIdentity
from wengert.linear_operators.simple import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from wengert.linear_operators.simple import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from wengert.linear_operators.simple import LinearOperatorZeros as LinearOperatorZeros
