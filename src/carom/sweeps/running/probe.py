"""Before a study runs: compile kernels once per machine, and try a few runs to estimate the time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING

from carom.errors import CaromError, ClusterError
from carom.sweeps.running.cluster import cores, machine, short_message
from carom.sweeps.running.work import Errand, do_probe

if TYPE_CHECKING:
    from carom.sweeps.running.cluster import Crew
    from carom.sweeps.running.task import Probe
    from carom.sweeps.study.plan import RunSpec
    from carom.sweeps.study.study import Study

TRIAL_SECONDS = 1.0
"""Longest time of a trial after compiling, s."""
MAX_VARIANTS = 16
"""Combinations of text parameters (such as integrators) that are compiled beforehand; others when they run."""
SAMPLED_RUNS = 512
"""Runs, spread over the plan, that are searched for such combinations."""
TRIAL_TIMEOUT = 300.0
"""If no trial has ended for this long, s, the sweep begins without them."""
COMPILE_ALLOWANCE = 60.0
"""If runs have a time limit, trials may take this much longer, s."""
PROGRESS_INTERVAL = 0.2
"""s between two reports of progress."""

START_SECONDS = 2.5
"""Time to start local workers, s."""
RUN_OVERHEAD = 0.003
"""Extra time per run, s (docs/scaling.md)."""


@dataclass(frozen=True)
class TimeEstimate:
    """An estimate of the time of a study.

    runs             number of runs
    workers          number of workers
    run_seconds      time of a run on one worker, s
    compile_seconds  time to compile before the runs, s
    seconds          time of the whole study, s
    """

    runs: int
    workers: int
    run_seconds: float
    compile_seconds: float
    seconds: float


@dataclass(frozen=True)
class Trial:
    """A run to try, and the text parameters that it covers."""

    spec: RunSpec
    covers: str = ""


def estimate(study: Study, *, workers: int | None = None) -> TimeEstimate:
    """Estimate the time of a study on this machine, by trying up to three of its runs."""
    from carom.sweeps.running.task import Job, probe  # noqa: PLC0415  # Numba is not loaded before something runs

    job, runs = Job.of(study), len(study)
    count = min(workers or cores(), runs)
    probes = [probe(job, each.spec, TRIAL_SECONDS) for each in _trials_spread(study)]
    compiling = sum(each.compile_seconds for each in probes)
    one = fmean(each.seconds_per_run for each in probes)
    return TimeEstimate(runs, count, one, compiling, START_SECONDS + compiling + runs * (one + RUN_OVERHEAD) / count)


def trials(study: Study) -> list[Trial]:
    """Runs to try: the first, the middle and the last, and one per combination of text parameters."""
    found = _trials_spread(study)
    seen = {_text_parameters(each.spec) for each in found}
    count = len(study)
    for k in sorted({part * count // SAMPLED_RUNS for part in range(SAMPLED_RUNS)}):
        if len(seen) >= MAX_VARIANTS:
            break
        spec = study.run_at(k)
        words = _text_parameters(spec)
        if words not in seen:
            seen.add(words)
            found.append(Trial(spec, _describe(words)))
    return found


def warm_up(
    crew: Crew, study: str, to_try: list[Trial], tell: Callable[[str], None], bound: float | None = None
) -> float | None:
    """Compile on one worker per machine while the others wait; return the time of a run, s, if trials succeed.

    bound  time after which a hanging run is killed with its worker, s, if there is a limit
    """
    patience = TRIAL_TIMEOUT if bound is None else min(TRIAL_TIMEOUT, bound + COMPILE_ALLOWANCE)
    asked = {}
    for address in _first_per_machine(crew.workers()):
        for each in to_try:
            asked[crew.submit(do_probe, Errand.of(study, [each.spec]), TRIAL_SECONDS, patience, on=address)] = each
    found: list[Probe] = []
    last = monotonic()
    while asked and monotonic() - last < patience:
        tell(_compiling_note(asked.values()))
        for ended in crew.outcomes(PROGRESS_INTERVAL):
            last = monotonic()
            asked.pop(ended.future, None)
            ended.future.release()
            if isinstance(ended.error, ClusterError | ImportError):
                raise worker_error(crew.where, ended.error)
            found += ended.result or []  # an impossible run is reported when its turn comes
    crew.cancel(list(asked))
    return fmean(each.seconds_per_run for each in found) if found else None


def worker_error(where: str, error: BaseException) -> CaromError:
    """The error for workers that cannot do any run."""
    if isinstance(error, CaromError):
        return error
    remedy = "Install the same carom, with what the study needs, for all workers."
    return ClusterError(where, f"its workers cannot do the runs ({short_message(error)})", remedy)


def _trials_spread(study: Study) -> list[Trial]:
    last = len(study) - 1
    specs = [study.run_at(k) for k in sorted({0, last // 2, last})]
    return [Trial(spec, _describe(_text_parameters(spec))) for spec in specs]


def _first_per_machine(workers: dict[str, int]) -> list[str]:
    """One worker per machine with several threads; one in all if there is no such machine."""
    crowds: dict[str, list[str]] = {}
    for address in sorted(workers):
        crowds.setdefault(machine(address), []).append(address)
    several = [crowd[0] for crowd in crowds.values() if sum(workers[each] for each in crowd) > 1]
    return several or sorted(workers)[:1]


def _text_parameters(spec: RunSpec) -> tuple[tuple[str, str], ...]:
    """The parameters that are no numbers; each combination may need other kernels."""
    return tuple((path, repr(value)) for path, value in spec.parameters.items() if type(value) not in {int, float})


def _describe(words: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{path} = {value}" for path, value in words)


def _compiling_note(left: Iterable[Trial]) -> str:
    """A line that says what is being compiled."""
    words = sorted({each.covers for each in left} - {""})
    return f"compiling for {words[0]}" if words else "compiling"
