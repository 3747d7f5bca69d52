"""What came out of a sweep, as a short table: a row a point."""

from collections import Counter
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from rich.table import Table as Rows

from carom.cli.terminal import table

if TYPE_CHECKING:
    from carom.sweeps.results.table import Table
    from carom.sweeps.study.study import Study

MOST_ROWS = 20
MOST_COLUMNS = 4
MOST_REASONS = 5
ALWAYS = ("time", "collisions", "kinetic_energy", "energy", "stopped", "remarks")  # columns of every study
USUAL = ("collisions", "energy")  # shown where nothing else was asked for


def points_table(found: "Table", study: "Study") -> Rows:
    """Means with errors of the first few columns that the study asked for, at most twenty rows."""
    lines = found.summary()
    along = {path for group in study.zip for path in group[1:]}  # the first of a group stands for all
    paths = [path for path in found.parameters if study.parameters[path].count_of > 1 and path not in along]
    columns = shown_columns(found.values)
    rows = table(*paths, *columns, "runs")
    for line in some(lines):
        if line is None:
            rows.add_row("…")
            continue
        cells = [plain(line[path]) for path in paths]
        cells += [with_error(line.get(name), line.get(f"{name}_error")) for name in columns]
        lost = f" of {line['done'] + line['failed']}" if line["failed"] else ""
        rows.add_row(*cells, f"{line['done']}{lost}")
    return rows


def shown_columns(values: tuple[str, ...]) -> list[str]:
    """The columns that tell most."""
    own = [name for name in values if name not in ALWAYS and not (name.endswith("_error") and name[:-6] in values)]
    return own[:MOST_COLUMNS] or [name for name in USUAL if name in values]


def some(lines: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
    """All lines, or the first and last ones and None between them."""
    if len(lines) <= MOST_ROWS:
        return list(lines)
    half = MOST_ROWS // 2
    return [*lines[:half], None, *lines[1 - half :]]


def with_error(value: Any, error: Any) -> str:
    """`1.234 ± 0.012`: the error with two digits, the value with as many decimals."""
    if not isinstance(value, int | float):
        return "" if value is None else str(value)
    if not isinstance(error, int | float) or not isfinite(error) or error <= 1e-12 * abs(value):
        return plain(value)
    decimals = 1 - floor(log10(error))
    if not 0 <= decimals <= 9 or abs(value) >= 1e7:
        return f"{value:.6g} ± {error:.2g}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def plain(value: Any) -> str:
    """A value as it is, broken numbers with six digits, true and false as a study file has them."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def failures(found: "Table") -> tuple[dict[str, int], dict[str, int]]:
    """How many runs ended how, and the most frequent reasons of those that failed."""
    tally = dict.fromkeys(("done", "failed", "timed out"), 0)
    reasons: Counter[str] = Counter()
    for row in found.rows():
        tally[row["status"]] += 1
        if row["status"] != "done":
            reasons[row["reason"]] += 1
    return tally, dict(reasons.most_common(MOST_REASONS))
