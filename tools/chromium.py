"""Find a Chromium for the browser tests, or install one from the system's packages if this is root.

Prints its path. Without one the tests are skipped; with CI=true that is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
INSTALLERS = {
    "apt-get": (("update", "-q"), ("install", "-y", "-q", "--no-install-recommends", "chromium")),
    "dnf": (("install", "-y", "-q", "chromium"),),
    "apk": (("add", "-q", "chromium"),),
    "pacman": (("-Sy", "--noconfirm", "chromium"),),
    "zypper": (("--non-interactive", "--quiet", "install", "chromium"),),
}
VARIABLE = "CAROM_CHROMIUM"
TIMEOUT = 600  # seconds for one command of an installer


class NoBrowserError(Exception):
    """There is no Chromium; the message says what to do."""


def find() -> str | None:
    """The path of a Chromium: that of CAROM_CHROMIUM, or one that is found; None if there is none."""
    if named := os.environ.get(VARIABLE):
        found = shutil.which(named)
        if found is None:
            raise NoBrowserError(
                f"{VARIABLE} is {named!r}, which is no program. Name a Chromium or Chrome, or leave it out."
            )
        return found
    return next((found for name in (*NAMES, *PLACES) if (found := shutil.which(name))), None)


def advice() -> str:
    """How to get a Chromium, on one line."""
    for program in INSTALLERS:
        if shutil.which(program):
            words = " ".join(INSTALLERS[program][-1])
            return f"no Chromium for the browser tests: install one (sudo {program} {words}), or name it in {VARIABLE}."
    return f"no Chromium for the browser tests: install Chromium or Chrome, or name it in {VARIABLE}."


def install() -> bool:
    """Install it with the system's packages, as root; return whether that was tried."""
    if getattr(os, "geteuid", lambda: 1)() != 0:
        return False
    for program, commands in INSTALLERS.items():
        if path := shutil.which(program):
            print(f"no Chromium is here: installing it with {program} (as root; some minutes)", flush=True)
            return all(succeeds(path, *arguments) for arguments in commands)
    return False


def succeeds(*command: str) -> bool:
    """Run a command quietly; print its output if it fails."""
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{' '.join(command)}: {error}", file=sys.stderr)
        return False
    if done.returncode != 0:
        print((done.stdout + done.stderr).strip()[-2000:], file=sys.stderr)
    return done.returncode == 0


def main() -> int:
    """Print the path of the browser, or what to install."""
    try:
        found = find()
        if found is None and install():
            found = find()
    except NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    if found is not None:
        print(found)
        return 0
    print(advice() if os.environ.get("CI") == "true" else f"{advice()} They are skipped.", file=sys.stderr)
    return int(os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main())
