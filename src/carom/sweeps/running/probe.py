"""Before a study runs: kernels are compiled once a machine, and a few runs are tried, to say how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING

from carom.errors import CaromError, ClusterError
from carom.sweeps.running.cluster import cores, line, machine
from carom.sweeps.running.work import Errand, do_probe

if TYPE_CHECKING:
    from carom.sweeps.running.cluster import Crew
    from carom.sweeps.running.task import Probe
    from carom.sweeps.study.plan import RunSpec
    from carom.sweeps.study.study import Study

TRIAL = 1.0
"""A run is tried for at most so many seconds, after compiling."""
MOST_VARIANTS = 16
"""Combinations of words (integrators, say) that are compiled beforehand; others are when they come."""
SAMPLES = 512
"""So many runs, spread over the plan, are looked at for such combinations."""
PATIENCE = 300.0
"""When no trial has ended for so many seconds, they are not waited for."""
COMPILING = 60.0
"""If runs have a time limit, trials are not waited for so much longer than a run is."""
PULSE = 0.2
"""s between two words on how it goes."""

STARTING = 2.5
"""s until local workers are there."""
OVERHEAD = 0.003
"""s that a run costs beyond its own time (docs/scaling.md)."""


@dataclass(frozen=True)
class Estimate:
    """How long a study will take.

    runs             how many there are to do.
    workers          how many do them.
    run_seconds      s that a run takes on one worker.
    compile_seconds  s of compiling, before.
    seconds          s for all of it.
    """

    runs: int
    workers: int
    run_seconds: float
    compile_seconds: float
    seconds: float


@dataclass(frozen=True)
class Specimen:
    """A run to try, and a word on what is special about it."""

    spec: RunSpec
    word: str = ""


def estimate(study: Study, *, workers: int | None = None) -> Estimate:
    """How long a study would take on this machine, from up to three of its runs, tried here and now."""
    from carom.sweeps.running.task import Job, probe  # noqa: PLC0415  # Numba is not loaded before something runs

    job, runs = Job.of(study), len(study)
    count = min(workers or cores(), runs)
    probes = [probe(job, each.spec, TRIAL) for each in _spread(study)]
    compiling = sum(each.compile_seconds for each in probes)
    one = fmean(each.seconds_per_run for each in probes)
    return Estimate(runs, count, one, compiling, STARTING + compiling + runs * (one + OVERHEAD) / count)


def specimens(study: Study) -> list[Specimen]:
    """Runs to try: the first, the middle and the last, and one of each combination of words in the plan."""
    found = _spread(study)
    seen = {_words(each.spec) for each in found}
    count = len(study)
    for k in sorted({part * count // SAMPLES for part in range(SAMPLES)}):
        if len(seen) >= MOST_VARIANTS:
            break
        spec = study.run_at(k)
        words = _words(spec)
        if words not in seen:
            seen.add(words)
            found.append(Specimen(spec, _word(words)))
    return found


def warm_up(
    crew: Crew, study: str, tried: list[Specimen], tell: Callable[[str], None], bound: float | None = None
) -> float | None:
    """Compile on one worker of each machine while the others wait; s that a run takes, if that could be found.

    bound  s after which a run that hangs is ended with its worker, if there is a limit.
    """
    patience = PATIENCE if bound is None else min(PATIENCE, bound + COMPILING)
    asked = {}
    for address in _firsts(crew.workers()):
        for each in tried:
            asked[crew.give(do_probe, Errand.of(study, [each.spec]), TRIAL, patience, on=address)] = each
    found: list[Probe] = []
    last = monotonic()
    while asked and monotonic() - last < patience:
        tell(_compiling(asked.values()))
        for ended in crew.ended(PULSE):
            last = monotonic()
            asked.pop(ended.future, None)
            ended.future.release()
            if isinstance(ended.error, ClusterError | ImportError):
                raise unable(crew.where, ended.error)
            found += ended.result or []  # a run that cannot be is told when its turn comes
    crew.drop(list(asked))
    return fmean(each.seconds_per_run for each in found) if found else None


def unable(where: str, error: BaseException) -> CaromError:
    """Why workers cannot do any run at all."""
    if isinstance(error, CaromError):
        return error
    remedy = "Install the same carom, with what the study needs, for all workers."
    return ClusterError(where, f"its workers cannot do the runs ({line(error)})", remedy)


def _spread(study: Study) -> list[Specimen]:
    last = len(study) - 1
    specs = [study.run_at(k) for k in sorted({0, last // 2, last})]
    return [Specimen(spec, _word(_words(spec))) for spec in specs]


def _firsts(workers: dict[str, int]) -> list[str]:
    """One worker of each machine that has several; one of all, if none has."""
    crowds: dict[str, list[str]] = {}
    for address in sorted(workers):
        crowds.setdefault(machine(address), []).append(address)
    several = [crowd[0] for crowd in crowds.values() if sum(workers[each] for each in crowd) > 1]
    return several or sorted(workers)[:1]


def _words(spec: RunSpec) -> tuple[tuple[str, str], ...]:
    """Those parameters that are no numbers: another word may mean another kernel."""
    return tuple((path, repr(value)) for path, value in spec.parameters.items() if type(value) not in {int, float})


def _word(words: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{path} = {value}" for path, value in words)


def _compiling(left: Iterable[Specimen]) -> str:
    """What is being compiled, in a line."""
    words = sorted({each.word for each in left} - {""})
    return f"compiling for {words[0]}" if words else "compiling"
