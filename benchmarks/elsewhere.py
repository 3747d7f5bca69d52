"""Figures that these benchmarks do not measure: goals of the project, and other codes on other machines."""

from __future__ import annotations

TEXT = """## Figures from elsewhere

Nothing here was measured by these benchmarks, so no ratio to the tables above means much: other machines, other hours.

The goals are what the project set itself. The figures of other codes were measured once for the project, on another
machine of this kind (two cores of x86-64; no more is on record): C codes with neighbour lists after F. Smallenburg,
Efficient event-driven simulations of hard spheres, Eur. Phys. J. E 45 (2022) 22, or with plain cells, whichever was
faster; DynamO, in C++; LAMMPS for W1, where it needs ten times more steps; Box2D v3 for W2; REBOUND for attraction;
newton for W4. Box2D and REBOUND are measured above beside carom, in the same run.

Equal disks in a periodic square, million collisions/s:

| N | η | goal | best C codes | DynamO |
| --- | --- | --- | --- | --- |
| 1e3 | 0.05 | 1.4 | – | – |
| 1e3 | 0.3 | 2.6 | 2.0 | – |
| 1e3 | 0.5 | 2.9 | 2.0 | – |
| 1e3 | 0.7 | 4.4 | 2.7 | – |
| 1e4 | 0.05 | 1.2 | 0.81 | – |
| 1e4 | 0.3 | 2.1 | 1.6 | 0.13 |
| 1e4 | 0.5 | 2.5 | 1.7 | 0.12 |
| 1e4 | 0.7 | 3.6 | 2.4 | 0.14 |
| 1e5 | 0.05 | 0.54 | 0.32 | – |
| 1e5 | 0.3 | 1.1 | 0.77 | 0.11 |
| 1e5 | 0.5 | 1.4 | 1.2 | 0.10 |
| 1e5 | 0.7 | 2.5 | 1.7 | 0.09 |
| 1e6 | 0.05 | 0.48 | – | – |
| 1e6 | 0.3 | 0.9 | 0.51 | – |
| 1e6 | 0.5 | 1.0 | 0.62 | – |
| 1e6 | 0.7 | 1.8 | 0.69 | – |

The stepped solver, steps/s:

| work | N | goal | best other code |
| --- | --- | --- | --- |
| W1 gas | 1000 | 30000 | 39000 |
| W1 gas | 10000 | 3500 | 3600 |
| W1 gas | 100000 | 330 | 231 |
| W2 pile | 1000 | 1800 | 1800 |
| W2 pile | 10000 | 200 | 108 |
| W3 all pairs | 100 | 90000 | 40000 |
| W3 all pairs | 1000 | 1100 | 392 |
| W3 all pairs | 10000 | 12 | 4.0 |
| W3 tree | 10000 | – | 7.6 |
| W4 cloth | 100 | 2500 | 1600 |
"""
