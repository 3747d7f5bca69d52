"""Shared by all tests: requirement ids, hypothesis profiles, and the rule that CI skips nothing."""

import json
import os
import sys
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from effort import examples

ROOT = Path(__file__).parent.parent
IN_CI = os.environ.get("CI") == "true"

os.environ.setdefault("MPLBACKEND", "Agg")  # plots are drawn, never shown
# Jupyter installs a grammar of URIs, which jsonschema takes seconds to read in each worker, and no schema needs it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # so that it cannot be imported

hypothesis.settings.register_profile("dev", deadline=None, max_examples=examples(50))
hypothesis.settings.register_profile("ci", deadline=None, max_examples=examples(50), derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if IN_CI else "dev")


@pytest.hookimpl(optionalhook=True)  # xdist may be missing
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores: sometimes one waits for a page, a process or another compiler."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole files to workers, in order, and all browser tests to one worker.

    So fixtures of a module are made once, and kernels that tests of a file share are compiled by one process.
    """
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415  # who asks has it

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "browser" if file.startswith("tests/browser/") else file

    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--requirements-to", metavar="FILE", help="write which tests prove which requirement, as JSON")


@pytest.hookimpl(tryfirst=True)  # before tests are deselected: a slow test proves its requirements too
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    proofs = {identity: [] for identity in requirement_ids()}
    for item in items:
        for identity in proven_by(item):
            if identity not in proofs:
                raise pytest.UsageError(f"{item.nodeid}: no requirement {identity!r} in docs/requirements.toml")
            proofs[identity].append(item.nodeid.partition("[")[0])
    if target := config.getoption("--requirements-to"):
        unique = {identity: sorted(set(tests)) for identity, tests in proofs.items()}
        Path(target).write_text(json.dumps(unique), encoding="utf-8")


def requirement_ids() -> list[str]:
    groups = tomllib.loads((ROOT / "docs/requirements.toml").read_text(encoding="utf-8"))["group"]
    return [requirement["id"] for group in groups for requirement in group["requirement"]]


def proven_by(item: pytest.Item) -> list[str]:
    """Ids in all `requirement` markers of a test, of its class and of its module."""
    return [identity for marker in item.iter_markers("requirement") for identity in marker.args]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI a skipped test fails, because it proves nothing. Expected failures are not skips."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI=true does not allow: {reason}"
