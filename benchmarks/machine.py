"""The machine and the versions of a measurement."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path


def processor() -> str:
    """The model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory() -> str:
    """The memory of the machine."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):  # not on this system
        return "unknown"
    return f"{size / 2**30:.0f} GiB"


@contextmanager
def one_core() -> Iterator[None]:
    """Stay on one core, if the system allows it: a move to another loses the content of caches.

    It is the last core, because the first mostly serves the operating system.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def load() -> str:
    """The load average, which includes these benchmarks."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return f"{os.getloadavg()[2]:.1f}"


def facts() -> dict[str, str]:
    """Machine, versions and date."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ("carom", "numba", "llvmlite", "numpy", "billiards", "pymunk", "pyb2d3", "rebound")
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": memory(),
        "system": f"{platform.system()} {platform.machine()}, {python}",
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load": load(),
    }
