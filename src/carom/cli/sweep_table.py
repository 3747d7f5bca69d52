"""The results of a sweep as a short table, one row per point."""

from collections import Counter
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from rich.table import Table as Rows

from carom.cli.terminal import table

if TYPE_CHECKING:
    from carom.sweeps.results.table import Table
    from carom.sweeps.study.study import Study

MAX_ROWS = 20
MAX_COLUMNS = 4
MAX_REASONS = 5
ALWAYS_MEASURED = ("time", "collisions", "kinetic_energy", "energy", "stopped", "remarks")  # columns of every study
DEFAULT_COLUMNS = ("collisions", "energy")  # shown if the study measures nothing else


def points_table(found: "Table", study: "Study") -> Rows:
    """Means with errors of the first columns of the study, in at most MAX_ROWS rows."""
    along = {path for group in study.zip for path in group[1:]}  # the first one stands for the group
    paths = [path for path in found.parameters if study.parameters[path].count_of > 1 and path not in along]
    columns = shown_columns(found.values)
    rows = table(*paths, *columns, "runs")
    for line in shortened(found.summary()):
        if line is None:
            rows.add_row("…")
            continue
        cells = [plain(line[path]) for path in paths]
        cells += [with_error(line.get(name), line.get(f"{name}_error")) for name in columns]
        lost = f" of {line['done'] + line['failed']}" if line["failed"] else ""
        rows.add_row(*cells, f"{line['done']}{lost}")
    return rows


def shown_columns(values: tuple[str, ...]) -> list[str]:
    """The columns to show: those of the study, or the defaults."""
    own = [
        name for name in values if name not in ALWAYS_MEASURED and not (name.endswith("_error") and name[:-6] in values)
    ]
    return own[:MAX_COLUMNS] or [name for name in DEFAULT_COLUMNS if name in values]


def shortened(lines: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
    """All lines, or the first and last ones with None in between if there are too many."""
    if len(lines) <= MAX_ROWS:
        return list(lines)
    half = MAX_ROWS // 2
    return [*lines[:half], None, *lines[1 - half :]]


def with_error(value: Any, error: Any) -> str:
    """A value with its error, `1.234 ± 0.012`: two digits of the error, as many decimals of the value."""
    if not isinstance(value, int | float):
        return "" if value is None else str(value)
    if not isinstance(error, int | float) or not isfinite(error) or error <= 1e-12 * abs(value):
        return plain(value)
    decimals = 1 - floor(log10(error))
    if not 0 <= decimals <= 9 or abs(value) >= 1e7:
        return f"{value:.6g} ± {error:.2g}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def plain(value: Any) -> str:
    """A value as text: floats with six digits, true and false as in study files."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def failures(found: "Table") -> tuple[dict[str, int], dict[str, int]]:
    """Count the runs by status, and the most frequent reasons of failures."""
    tally = dict.fromkeys(("done", "failed", "timed out"), 0)
    reasons: Counter[str] = Counter()
    for row in found.rows():
        tally[row["status"]] += 1
        if row["status"] != "done":
            reasons[row["reason"]] += 1
    return tally, dict(reasons.most_common(MAX_REASONS))
