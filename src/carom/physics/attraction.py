"""Newton's attraction of two bodies, for eight pairs at once.

    a = G m d / (d² + ε²)^(3/2),    U = -G m m' / (d² + ε²)^(1/2)

is the acceleration towards a body of mass m that is d away, and the potential energy with a body of mass m'. ε is the
softening length (H. C. Plummer, Mon. Not. R. Astron. Soc. 71 (1911) 460).
"""

from typing import Any

from carom.kernels.jit import Real, inline
from carom.kernels.powers import inverse_cube, plus
from carom.kernels.simd import spread_eight as spread

# m²; added to squared distances, it changes no bit of those beyond 1e-42 m, and keeps inverse powers up to the fifth
# finite at 0 m: bodies at the same place do not attract each other.
FLOOR = 1e-100


@inline
def dot_plus(dim: Any, strict: Any, a: Any, b: Any, c: Any) -> Any:
    """a·b + c."""
    s = plus(strict, a[1], b[1], plus(strict, a[0], b[0], c))
    if len(dim) == 3:
        s = plus(strict, a[2], b[2], s)
    return s


@inline
def plus_times(dim: Any, strict: Any, a: Any, k: Any, d: Any) -> tuple[Any, Any, Any]:
    """a + k d, three components."""
    x, y = plus(strict, k, d[0], a[0]), plus(strict, k, d[1], a[1])
    if len(dim) == 3:
        return x, y, plus(strict, k, d[2], a[2])
    else:
        return x, y, a[2]


@inline
def attraction(dim: Any, strict: Any, soft: Real, d: Any) -> Any:
    """(d² + ε²)^(-3/2), 1/m³: times G m d it is the acceleration. `soft` is ε², and at least FLOOR."""
    return inverse_cube(strict, dot_plus(dim, strict, d, d, soft))


@inline
def potential(dim: Any, strict: Any, soft: Real, d: Any) -> Any:
    """(d² + ε²)^(-1/2), 1/m: times -G m m' it is the potential energy. `soft` is ε²; 0 at one place without it."""
    s = dot_plus(dim, strict, d, d, spread(soft))
    return s * inverse_cube(strict, s + FLOOR)
