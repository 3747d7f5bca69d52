"""Play a newcomer's first hour: build the wheel, install it in an empty environment, follow the documents.

`python tools/first_hour.py python3.12 python3.13` prints a table of steps with their seconds, one column per Python,
and exits with 1 if a step fails; `--log FILE` saves all output. It needs a network, for pip. Commands run with only the
environment on PATH: no compiler, no Node.js. A step fails if its exit code is wrong, an expected text is missing, or
a traceback or a warning is printed.
"""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "docs/tutorial.md")
TIMEOUT = 600.0
"""Time limit of a step, s."""
BAD = re.compile(r"Traceback \(most recent|\w*Warning: ", re.MULTILINE)
EXTRAS = ("plots", "video", "exports", "sweep", "pandas", "notebook", "lab")
HINTS = {
    "carom lab --no-browser": "lab",
    "carom render break film.mp4": "video",
    "carom render run.h5 still.svg": "video",
    "carom analyse run.h5 --report run.html": "plots",
    "carom export run.h5 run.gsd": "exports",
    "carom sweep pi --out counted": "sweep",
    "carom sweep pi --plot pi.svg": "plots",
}
"""Commands with the extra that they need."""

SESSION = """
import json, os, sys, time, traceback
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
space = {"__name__": "__main__"}
for line in sys.stdin:
    name, source = json.loads(line)
    began, failed = time.perf_counter(), ""
    try:
        exec(compile(source, name, "exec"), space)
    except BaseException:
        failed = traceback.format_exc()
    print(json.dumps([time.perf_counter() - began, failed]), file=answers, flush=True)
answers.close()
"""
"""Runs blocks of a document one by one, in one namespace, as a notebook does."""

NOTEBOOK = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
shown = []
client.execute_interactive(
    "from carom import Simulation, library; Simulation(library.load('break'))", allow_stdin=True, timeout=500,
    output_hook=lambda message: shown.append(message["content"]),
)
client.stop_channels()
manager.shutdown_kernel()
kinds = {kind for content in shown for kind in content.get("data", {})}
print(*sorted(kinds), *(content["text"] for content in shown if "text" in content), sep="\\n")
"""


@dataclass
class Hour:
    """The first hour with one Python: its folders, and the results of its steps."""

    python: str
    folder: Path
    log: Path | None
    seconds: dict[str, float] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        """The programs of the environment."""
        return self.folder / "env" / "bin"

    def environment(self, **more: str) -> dict[str, str]:
        """The environment variables of a new account, with the user's settings of pip."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name == "SSL_CERT_FILE"}
        return {**kept, "HOME": str(Path.home()), "PATH": str(self.bin), "PYTHONWARNINGS": "default", **more}

    def note(self, step: str, seconds: float, said: str, wrong: str) -> None:
        """Record the result of a step."""
        self.seconds[step] = seconds
        if wrong:
            self.wrong[step] = wrong
        print(f"{seconds:7.1f} s  {step}{f'  WRONG: {wrong}' if wrong else ''}", flush=True)
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"\n=== {step} ({seconds:.1f} s) {wrong}\n{said}")

    def do(  # a step, and what is expected of it
        self, step: str, command: list[str], where: Path, *, code: int = 0, says: str = "", lines: int | None = None,
        **environment: str,
    ) -> str:  # fmt: skip
        """Run a command and check its output; `lines` is the expected number of lines on standard error."""
        began = time.perf_counter()
        done = subprocess.run(
            command, cwd=where, env=self.environment(**environment), capture_output=True, check=False, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        wrong = judged(out + err, done.returncode, code, says)
        if lines is not None and err.count("\n") != lines:
            wrong = wrong or f"{err.count(chr(10))} lines on standard error instead of {lines}"
        self.note(step, time.perf_counter() - began, out + err, wrong)
        return out

    def type(self, line: str, where: Path, step: str = "", **expected: object) -> str:
        """Type a line that begins with `carom` or `python`."""
        first, *rest = shlex.split(line, comments=True)
        return self.do(step or line, [str(self.bin / first), *rest], where, **expected)  # type: ignore[arg-type]  # as `do`


def judged(said: str, code: int, expected: int, says: str) -> str:
    """Why a step failed; empty if it passed."""
    if code != expected:
        return f"exit code {code} instead of {expected}: {' '.join(said.split())[-160:]}"
    if found := BAD.search(said):
        return f"it shows {said[found.start() :].splitlines()[0]!r}"
    return "" if says in said else f"it does not say {says!r}"


def installed(hour: Hour) -> None:
    """Make an empty environment, build the wheel, and install it without extras."""
    hour.do("make an environment", [hour.python, "-m", "venv", str(hour.folder / "env")], hour.folder)
    hour.folder.joinpath("dist").mkdir()
    pip = [str(hour.bin / "python"), "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", str(ROOT)]
    hour.do("build the wheel", build, hour.folder, PYTHONWARNINGS="ignore")
    (wheel,) = hour.folder.glob("dist/*.whl")
    hour.do("pip install carom", [*pip, "install", "--quiet", str(wheel)], hour.folder, PYTHONWARNINGS="ignore")


def without_extras(hour: Hour) -> None:
    """Use carom without extras; each missing one is reported on one line."""
    where = hour.folder / "bare"
    where.mkdir()
    hour.type("carom --version", where, lines=0)
    hour.type("carom run break --until 2", where, "first run: carom run break --until 2", lines=1, says="compiling")
    hour.type("carom run break --until 2", where, "second run: the same", lines=0)
    hour.type("carom run gas --until 0.2 --every 0.05 --out run.h5", where)
    for line, extra in HINTS.items():
        hint = f'pip install "carom[{extra}]"'
        hour.type(line, where, f"without extras: {line}", code=1, says=hint, lines=1)


def with_extras(hour: Hour) -> None:
    """Install each extra by the command of its hint."""
    pip = [str(hour.bin / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for extra in EXTRAS:
        name = f"carom[{extra}]"
        hour.do(f'pip install "{name}"', [*pip, name], hour.folder, PYTHONWARNINGS="ignore")
    where = hour.folder / "notebook"
    where.mkdir()
    (where / "notebook.py").write_text(NOTEBOOK, encoding="utf-8")
    widget = "application/vnd.jupyter.widget-view+json"
    hour.type("python notebook.py", where, "a notebook shows a simulation", says=widget, PYTHONWARNINGS="ignore")


def documents(hour: Hour) -> None:
    """Do every step of the documents, from top to bottom."""
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        where = hour.folder / Path(document).stem
        where.mkdir()
        command = [str(hour.bin / "python"), "-c", SESSION]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=where, env=hour.environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        ) as session:
            for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
                line = text.count("\n", 0, found.start()) + 2
                block(hour, f"{document}:{line}", found[1], found[2], where, session)
            said = session.communicate()[1]
        found_bad = BAD.search(said)
        hour.note(f"{document}, what its code says", 0.0, said, said[found_bad.start() :][:200] if found_bad else "")


def block(hour: Hour, name: str, language: str, source: str, where: Path, session: "subprocess.Popen[str]") -> None:
    """Do one block of a document."""
    if language == "toml" and (file := re.match(r"# (\S+\.toml)\n", source)):
        (where / file[1]).write_text(source, encoding="utf-8")
    elif language == "python" and session.stdin and session.stdout:
        session.stdin.write(json.dumps([name, source]) + "\n")
        session.stdin.flush()
        seconds, failed = json.loads(session.stdout.readline())
        hour.note(f"{name} (Python)", seconds, failed, failed.strip().rpartition("\n")[2])
    elif language == "console":
        for line in source.splitlines():
            if line.startswith("$ carom ") and not line.startswith("$ carom lab"):
                expected = int(code[1]) if (code := re.search(r"# exit (\d+)$", line)) else 0
                hour.type(line.removeprefix("$ "), where, f"{name}: {line.partition('#')[0].strip()}", code=expected)


def laboratory(hour: Hour) -> None:
    """Start the laboratory, load its first page, and stop it by Ctrl-C."""
    began, command = time.perf_counter(), [str(hour.bin / "carom"), "lab", "break", "--no-browser"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=hour.folder, env=hour.environment(), stdout=pipe, stderr=subprocess.STDOUT, text=True
    ) as lab:
        said = lab.stdout.readline() if lab.stdout else ""
        address = re.search(r"http://\S+", said)
        page = ""
        if address is not None:
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with opener.open(address[0], timeout=60) as answer:
                page = answer.read().decode()
        seconds = time.perf_counter() - began
        lab.send_signal(signal.SIGINT)
        rest = lab.communicate(timeout=20)[0]
    wrong = judged(said + rest, lab.returncode, 0, "http://") or ("" if "<html" in page else "no page comes")
    hour.note("carom lab break: its page, and Ctrl-C", seconds, said + rest, wrong)


def awkward(hour: Hour) -> None:
    """Use unusual folders and settings."""
    where = hour.folder / "Übung mit Leerzeichen – żółć"
    where.mkdir()
    hour.type("carom scenes break --save 'ein Stoß.toml'", where, "names with blanks and other letters")
    hour.type("carom run 'ein Stoß.toml' --until 1 --out 'ein Stoß.h5'", where, "the same, run and recorded")
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    hour.type("carom studies", where, "a terminal that knows ASCII only", **plain)
    hour.type("carom solvers", where, "a terminal of 40 columns", COLUMNS="40")
    hour.type("carom run break --until 1", where, "a home that is not there", HOME=str(hour.folder / "nowhere"))


def interrupted(hour: Hour) -> None:
    """Press Ctrl-C while kernels are compiled."""
    cache = hour.folder / "cold"
    command = [str(hour.bin / "carom"), "run", "break", "--until", "1"]
    with subprocess.Popen(
        command, cwd=hour.folder, env=hour.environment(NUMBA_CACHE_DIR=str(cache)), stderr=subprocess.PIPE, text=True
    ) as run:
        said = run.stderr.readline() if run.stderr else ""
        time.sleep(1.0)
        began = time.perf_counter()
        run.send_signal(signal.SIGINT)
        said += run.communicate(timeout=TIMEOUT)[1]
    wrong = judged(said, run.returncode, 130, "stopped by Ctrl-C.")
    hour.note("Ctrl-C while it compiles", time.perf_counter() - began, said, wrong)


def uninstalled(hour: Hour) -> None:
    """Uninstall carom, and check what is left."""
    home = 'python -c "import carom; print(carom.__path__[0])"'
    package = Path(hour.type(home, hour.folder, "where carom is").strip())
    uninstall = [str(hour.bin / "python"), "-m", "pip", "uninstall", "--quiet", "--yes", "carom"]
    hour.do("pip uninstall carom", uninstall, hour.folder, PYTHONWARNINGS="ignore")
    left = [path for path in package.rglob("*") if path.is_file()]
    strange = [path.name for path in left if path.suffix not in {".nbi", ".nbc", ".lock"}]
    size = sum(path.stat().st_size for path in left) / 1e6
    words = f"{len(left)} files of compiled kernels are left, {size:.1f} MB, in {package}\n"
    hour.note("what is left is compiled kernels alone", 0.0, words, f"also {strange[:3]}" if strange else "")


PARTS: tuple[Callable[[Hour], None], ...] = (
    installed, without_extras, with_extras, documents, laboratory, awkward, interrupted, uninstalled,
)  # fmt: skip


def table(hours: list[Hour]) -> str:
    """All steps as a table of Markdown, one column per Python."""
    versions = [subprocess.run([hour.python, "-V"], capture_output=True, text=True, check=True) for hour in hours]
    rows = [["step, s", *(version.stdout.split()[1] for version in versions)], ["---", *("---:" for _ in hours)]]
    for step in dict.fromkeys(step for hour in hours for step in hour.seconds):
        cells = [("wrong" if step in hour.wrong else f"{hour.seconds.get(step, 0.0):.1f}") for hour in hours]
        rows.append([step.replace("|", "\\|"), *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Play the hour with each Python that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="*", default=[sys.executable], help="interpreters, 3.11 or later")
    parser.add_argument("--log", type=Path, metavar="FILE", help="save all output")
    wished = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process ignores it, with all that it starts
    hours = []
    for python in wished.python:
        print(f"\n{python}", flush=True)
        with tempfile.TemporaryDirectory(prefix="carom-first-hour-", ignore_cleanup_errors=True) as folder:
            hour = Hour(python, Path(folder), wished.log.resolve() if wished.log else None)
            for part in PARTS:
                part(hour)
            hours.append(hour)
    print(f"\n{table(hours)}")
    for hour in hours:
        for step, wrong in hour.wrong.items():
            print(f"{hour.python}: {step}: {wrong}")
    return 1 if any(hour.wrong for hour in hours) else 0


if __name__ == "__main__":
    sys.exit(main())
