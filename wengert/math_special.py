"""tf.math.special: Bessel functions and integrals."""

from wengert.ops.special.bessel import bessel_i0 as bessel_i0
from wengert.ops.special.bessel import bessel_i0e as bessel_i0e
from wengert.ops.special.bessel import bessel_i1 as bessel_i1
from wengert.ops.special.bessel import bessel_i1e as bessel_i1e
from wengert.ops.special.bessel import bessel_j0 as bessel_j0
from wengert.ops.special.bessel import bessel_j1 as bessel_j1
from wengert.ops.special.bessel import bessel_k0 as bessel_k0
from wengert.ops.special.bessel import bessel_k0e as bessel_k0e
from wengert.ops.special.bessel import bessel_k1 as bessel_k1
from wengert.ops.special.bessel import bessel_k1e as bessel_k1e
from wengert.ops.special.bessel import bessel_y0 as bessel_y0
from wengert.ops.special.bessel import bessel_y1 as bessel_y1
from wengert.ops.special.gamma import dawsn as dawsn
from wengert.ops.special.gamma import expint as expint
from wengert.ops.special.gamma import fresnel_cos as fresnel_cos
from wengert.ops.special.gamma import fresnel_sin as fresnel_sin
from wengert.ops.special.gamma import spence as spence
