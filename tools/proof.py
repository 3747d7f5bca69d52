"""Write the tables of docs/proof.md: measure every claim, with fixed seeds; a minute or two.

`--list` writes only the list of the other tests. `--check` measures nothing, and fails if the document lacks a claim or
names another test. `--only WORD` measures the claims that contain the word, and prints them.
It fails if a figure deviates by more than its test allows.
"""

import argparse
import sys
from itertools import groupby
from pathlib import Path
from time import perf_counter

import proof_balls
import proof_gases
import proof_kept
import proof_orbits
import proof_steps
from proof_claim import CLAIMS, Claim, Found
from proof_required import required

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/proof.md"
MEASURED = "<!-- measured by tools/proof.py: begin -->", "<!-- measured by tools/proof.py: end -->"
REQUIRED = "<!-- listed by tools/proof.py: begin -->", "<!-- listed by tools/proof.py: end -->"
MODULES = (proof_balls, proof_kept, proof_gases, proof_steps, proof_orbits)  # each registers its claims on import
ORDERED = sorted(CLAIMS, key=lambda each: [module.__name__ for module in MODULES].index(each.measure.__module__))


def main() -> int:
    """Measure and write, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if a claim is missing; measure nothing")
    parser.add_argument("--only", metavar="WORD", help="measure the claims with this word, and write nothing")
    parser.add_argument("--list", action="store_true", help="write only the list of the other tests")
    told = parser.parse_args()
    document = DOCUMENT.read_text(encoding="utf-8")
    if told.check:
        return check(document)
    words = "" if told.only is None else told.only.lower()
    chosen = [] if told.list else [each for each in ORDERED if words in f"{each.says} {each.group}".lower()]
    found = [measured(each) for each in chosen]
    if told.only is None:
        document = document if told.list else between(document, MEASURED, tables(chosen, found))
        document = between(document, REQUIRED, required({each.test for each in ORDERED}))
        DOCUMENT.write_text(document, encoding="utf-8")
        print(f"wrote {DOCUMENT.name}: {len(chosen)} claims")
    return 0 if all(each.holds for each in found) else 1


def between(document: str, marks: tuple[str, str], text: str) -> str:
    """Replace the text between two marks of the document."""
    begin, end = marks
    before, _, rest = document.partition(begin)
    return f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}"


def measured(each: Claim) -> Found:
    """Measure a claim, and print the result."""
    began = perf_counter()
    found = each.measure()
    mark = "holds" if found.holds else f"DOES NOT HOLD (allowed {found.allowed:.2g})"
    print(f"{mark}: {each.says}: {found.value}, off by {found.distance}, {perf_counter() - began:.1f} s", flush=True)
    return found


def tables(claims: list[Claim], found: list[Found]) -> str:
    """One table per group."""
    parts = []
    for group, rows in groupby(zip(claims, found, strict=True), key=lambda row: row[0].group):
        parts += [f"### {group}\n", "| what holds | expected | carom | off by | test |", "|---|---|---|---|---|"]
        parts += [f"| {each.says} | {each.law} | {got.value} | {got.distance} | {each.where} |" for each, got in rows]
        parts.append("")
    return "\n".join(parts)


def check(document: str) -> int:
    """Check that the document has exactly these claims, with their laws and tests."""
    begin, end = MEASURED
    lines = document.partition(begin)[2].partition(end)[0].splitlines()
    rows = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines if ".py: " in line]
    if [(row[0], row[1], row[-1]) for row in rows] == [(each.says, each.law, each.where) for each in ORDERED]:
        return 0
    print("docs/proof.md is out of date. Run: python tools/proof.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
