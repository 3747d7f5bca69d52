"""A real JupyterLab in a separate process, on a free port, with its own folders; ended by its process id."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.serving import environment

PATIENCE = 90.0
"""Time limit for JupyterLab to start on a busy machine, and to end after SIGKILL, s."""
END_TIMEOUT = 5.0
"""Time for it to end by itself, s."""

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "apputils-extension/themes": {"adaptive-theme": False},
}
"""No dialogs, and no requests to elsewhere."""


@dataclass
class Jupyter:
    """A running JupyterLab."""

    origin: str
    token: str
    folder: Path
    """Where its notebooks are."""

    def address(self, notebook: str) -> str:
        """The address of a notebook alone in its window."""
        return f"{self.origin}/lab/tree/{notebook}?token={self.token}&reset"

    def write(self, name: str, *cells: str) -> str:
        """Write a notebook with these cells of code; return its name."""
        code = [
            {
                "id": f"cell-{k}",
                "cell_type": "code",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": text,
            }
            for k, text in enumerate(cells)
        ]
        kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        made = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": code}
        (self.folder / name).write_text(json.dumps(made), encoding="utf-8")
        return name


@contextmanager
def jupyter(home: Path) -> Iterator[Jupyter]:
    """Start JupyterLab; it writes only to `home`."""
    folders = {name: home / name for name in ("work", "config", "data", "runtime", "settings", "workspaces", "ipython")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for name, values in SETTINGS.items():
        path = folders["settings"] / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    variables = {
        "JUPYTER_CONFIG_DIR": str(folders["config"]),
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
        "JUPYTERLAB_SETTINGS_DIR": str(folders["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(folders["workspaces"]),
        "IPYTHONDIR": str(folders["ipython"]),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    options = [
        *("--no-browser", "--ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.root_dir={folders['work']}"),
        *("--ServerApp.terminals_enabled=False", "--LabApp.news_url=", "--ContentsManager.allow_hidden=False"),
        *(["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []),
    ]
    said = home / "jupyterlab.log"
    with said.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment() | variables, cwd=home,
        )  # fmt: skip
    try:
        about = started(process, folders["runtime"], said)
        yield Jupyter(about["url"].rstrip("/"), about["token"], folders["work"])
    finally:
        end(process)


def started(process: subprocess.Popen[bytes], runtime: Path, said: Path) -> dict[str, str]:
    """Wait for the server's information file, and read it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            try:
                return json.loads(path.read_text(encoding="utf-8"))
            except ValueError:  # not written whole yet
                continue
        time.sleep(0.05)
    raise RuntimeError("JupyterLab did not start:\n" + said.read_text(encoding="utf-8"))


def end(process: subprocess.Popen[bytes]) -> None:
    """End JupyterLab; its kernels end with it. It may wait for pages that are gone, and is then killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait(PATIENCE)
