"""The law of impact stands in one place: nobody but `physics.impact` has the factor 1 + e."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom
from carom.physics import impact
from reference.laws import called

SOURCES = Path(carom.__file__).parent
RESTITUTION = re.compile(r"(e|back|\w*bounce\w*|\w*restitution\w*|laws)")
OTHERS = {"kernels/powers.py", "scene/library/orbits.py", "solvers/stepped/attraction/closest_approach.py"}
"""Where e is a relative error, or the eccentricity of an orbit."""

bounce, energy_taken, friction = called(impact.bounce), called(impact.energy_taken), called(impact.friction)
impulse, impulse_of_pair = called(impact.impulse), called(impact.impulse_of_pair)
bounce_factor = called(impact.bounce_factor)


def name_of(node: ast.expr) -> str:
    """The last name of `e`, `setting.bounce` or `bounce[a, b]`; empty for anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value == 1


def is_bounce_factor(node: ast.AST) -> bool:
    """Is this 1 + e, e + 1, or -1 - e?"""
    if not isinstance(node, ast.BinOp):
        return False
    one, two = node.left, node.right
    if isinstance(node.op, ast.Sub):
        return isinstance(one, ast.UnaryOp) and is_one(one.operand) and bool(RESTITUTION.fullmatch(name_of(two)))
    other = two if is_one(one) else one if is_one(two) else None
    return isinstance(node.op, ast.Add) and other is not None and bool(RESTITUTION.fullmatch(name_of(other)))


def bounce_factors(source: str) -> list[int]:
    """The lines that have 1 + e."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if is_bounce_factor(node)]  # type: ignore[attr-defined]  # an expression


@pytest.mark.parametrize(
    "line",
    ["-(1.0 + e) * u", "(1 + e) * m", "(e + 1.0) * u", "(-1.0 - e) * u", "(1.0 + back)", "1.0 + setting.bounce[a, b]",
     "1.0 + laws[i, j, 0]", "1.0 + scene.restitution"],
)  # fmt: skip
def test_the_search_sees_the_factor_however_it_is_written(line: str) -> None:
    assert bounce_factors(line) == [1]


@pytest.mark.parametrize("line", ["1.0 - e * e", "1.0 + eta", "end + 1", "1.0 - e", "-u - e"])
def test_the_search_sees_nothing_else(line: str) -> None:
    assert bounce_factors(line) == []


@pytest.mark.requirement("M-11")
def test_the_factor_stands_once_in_the_source_tree() -> None:
    found = []
    for file in sorted(SOURCES.rglob("*.py")):
        name = file.relative_to(SOURCES).as_posix()
        if name not in OTHERS:
            found += [name] * len(bounce_factors(file.read_text(encoding="utf-8")))
    assert found == ["physics/impact.py"]


unit = st.floats(0.0, 1.0)


@pytest.mark.requirement("M-11")
@given(e=unit, u=st.floats(-100.0, -1e-3), m=st.floats(0.01, 100.0))
def test_all_forms_of_the_impulse_are_one_law(e: float, u: float, m: float) -> None:
    """Of the reduced mass m: J = m Δu, and from J comes 1 + e again; energy is what motion along the normal loses."""
    change = bounce(e, u)
    assert change == -(1.0 + e) * u
    assert impulse(e, m, u) == pytest.approx(m * change, rel=1e-15)
    assert impulse_of_pair(e, u, 1.0 / m) == pytest.approx(m * change, rel=1e-15)
    assert bounce_factor(impulse(e, m, u), u, 1.0 / m) == pytest.approx(1.0 + e, rel=1e-14)
    lost = 0.5 * m * u * u - 0.5 * m * (u + change) ** 2
    assert energy_taken(e) * m * u * u == pytest.approx(lost, abs=1e-13 * m * u * u)


@given(stop=st.floats(0.0, 10.0), press=st.floats(0.0, 10.0), static=unit, part=unit)
def test_friction_holds_or_rubs_and_never_turns_the_motion_round(
    stop: float, press: float, static: float, part: float
) -> None:
    given_ = friction(stop, press, static, part * static)
    holds = stop <= static * press
    assert given_ == (stop if holds else np.minimum(part * static * press, stop))
    assert 0.0 <= given_ <= stop
