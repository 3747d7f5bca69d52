"""The law of impact stands in one place: nobody but `physics.impact` has the factor 1 + e."""

import ast
import operator
import random
import re
from collections.abc import Callable
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
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: lambda base, power: abs(base) ** power if power != 2.0 else base * base,
}  # fmt: skip
OTHERS = {
    "kernels/powers.py", "scene/library/ephemeris.py", "scene/library/orbits.py",
    "solvers/stepped/attraction/closest_approach.py",
}  # fmt: skip
"""Where e is a relative error, or the eccentricity of an orbit."""

velocity_change, energy_taken, friction = (
    called(impact.velocity_change),
    called(impact.energy_taken),
    called(impact.friction),
)
impulse, impulse_of_pair = called(impact.impulse), called(impact.impulse_of_pair)
bounce_factor = called(impact.bounce_factor)


def name_of(node: ast.expr) -> str:
    """The last name of `e`, `setting.bounce` or `bounce[a, b]`; empty for anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def other_names(tree: ast.AST) -> dict[str, ast.expr]:
    """Names that are given to a coefficient of restitution, or to one: `k` in `k = setting.bounce[a, b]`."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for name, value in zip(targets, values, strict=False):
                is_one = isinstance(value, ast.Constant) and value.value == 1
                if isinstance(name, ast.Name) and (is_one or RESTITUTION.fullmatch(name_of(value))):
                    found.setdefault(name.id, value)
    return found


class Formula:
    """An expression as a function of the coefficient of restitution; all else in it has some value."""

    def __init__(self, others: dict[str, ast.expr]) -> None:
        self.others = others
        self.has_restitution = False

    def value(self, node: ast.expr, e: float) -> float:
        """Its value; equal expressions have equal values."""
        match node:
            case ast.Name(name) if name in self.others and not RESTITUTION.fullmatch(name):
                return self.value(self.others[name], e)
            case ast.Constant(value) if isinstance(value, int | float):
                return float(value)
            case ast.UnaryOp(ast.USub(), operand):
                return -self.value(operand, e)
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                return OPERATORS[type(operator)](self.value(left, e), self.value(right, e))
        if RESTITUTION.fullmatch(name_of(node)):
            self.has_restitution = True
            return e
        return random.Random(ast.dump(node)).uniform(0.2, 0.9)


def has_factor(node: ast.AST, others: dict[str, ast.expr]) -> bool:
    """Does this expression have the factor 1 + e? Just then it vanishes at e = -1, whatever else is in it."""
    if not isinstance(node, ast.BinOp):
        return False
    formula = Formula(others)
    try:
        there, here = formula.value(node, -1.0), formula.value(node, 0.6)
    except ArithmeticError:
        return False
    return formula.has_restitution and abs(there) < 1e-12 < abs(here)


def bounce_factors(source: str) -> list[int]:
    """The lines that have 1 + e, in whatever spelling; (1 - e²), which has it too, counts."""
    tree = ast.parse(source)
    others = other_names(tree)
    found = [node for node in ast.walk(tree) if has_factor(node, others)]
    innermost = [node for node in found if not any(part in found for part in ast.walk(node) if part is not node)]
    return [node.lineno for node in innermost]  # type: ignore[attr-defined]  # an expression


@pytest.mark.parametrize(
    "line",
    ["-(1.0 + e) * u", "(1 + e) * m", "(e + 1.0) * u", "(-1.0 - e) * u", "(1.0 + back)", "1.0 + setting.bounce[a, b]",
     "1.0 + laws[i, j, 0]", "1.0 + scene.restitution", "-u - e * u", "u + u * e", "m * u + e * (m * u)",
     "2.0 - (1.0 - e)",
     "-e - 1.0", "e - -1.0", "0.5 * (1.0 - e * e)", "1.0 - e**2", "k = setting.bounce[a, b]; j = 1.0 + k",
     "one, k = 1.0, bounce[a]; j = (one + k) * u", "(m + m * e) / m"],
)  # fmt: skip
def test_the_search_sees_the_factor_however_it_is_written(line: str) -> None:
    assert bounce_factors(line) == [1]


@pytest.mark.parametrize(
    "line",
    ["1.0 + eta", "end + 1", "1.0 - e", "-u - e", "e * u", "0.5 * m * (1.0 - e)", "k = other[a, b]; j = 1.0 + k",
     "u - e * u", "1.0 / e"],
)  # fmt: skip
def test_the_search_sees_nothing_else(line: str) -> None:
    assert bounce_factors(line) == []


@pytest.mark.requirement("M-11")
def test_the_factor_stands_once_in_the_source_tree() -> None:
    """Once as 1 + e, in the law, and once in (1 - e²)/2, the energy that an impact takes."""
    found = []
    for file in sorted(SOURCES.rglob("*.py")):
        name = file.relative_to(SOURCES).as_posix()
        if name not in OTHERS:
            source = file.read_text(encoding="utf-8")
            found += [f"{name}: {source.splitlines()[line - 1].strip()}" for line in bounce_factors(source)]
    assert sorted(found) == [
        "physics/impact.py: return -(1.0 + e) * u",
        "physics/impact.py: return 0.5 * (1.0 - e * e)",
    ]


unit = st.floats(0.0, 1.0)


@pytest.mark.requirement("M-11")
@given(e=unit, u=st.floats(-100.0, -1e-3), m=st.floats(0.01, 100.0))
def test_all_forms_of_the_impulse_are_one_law(e: float, u: float, m: float) -> None:
    """Of the reduced mass m: J = m Δu, and from J comes 1 + e again; energy is what motion along the normal loses."""
    change = velocity_change(e, u)
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
