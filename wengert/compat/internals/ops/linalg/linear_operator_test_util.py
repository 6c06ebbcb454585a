"""tensorflow.python.ops.linalg.linear_operator_test_util: bases of tests of linear operators."""

from wengert.testing.operator_cases import (
    CheckTapeSafeSkipOptions as CheckTapeSafeSkipOptions,
)
from wengert.testing.operator_cases import (
    LinearOperatorDerivedClassTest as LinearOperatorDerivedClassTest,
)
from wengert.testing.operator_cases import (
    NonSquareLinearOperatorDerivedClassTest as NonSquareLinearOperatorDerivedClassTest,
)
from wengert.testing.operator_cases import OperatorShapesInfo as OperatorShapesInfo
from wengert.testing.operator_cases import (
    SquareLinearOperatorDerivedClassTest as SquareLinearOperatorDerivedClassTest,
)
from wengert.testing.operator_laws import add_tests as add_tests
from wengert.testing.random_matrices import random_normal as random_normal
from wengert.testing.random_matrices import (
    random_normal_correlated_columns as random_normal_correlated_columns,
)
from wengert.testing.random_matrices import (
    random_positive_definite_matrix as random_positive_definite_matrix,
)
from wengert.testing.random_matrices import random_sign_uniform as random_sign_uniform
from wengert.testing.random_matrices import random_tril_matrix as random_tril_matrix
from wengert.testing.random_matrices import random_uniform as random_uniform
