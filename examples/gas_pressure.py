"""The pressure of a gas from the impulses on its walls, against the equation of state.

p A = N k_B T Z with Z = (1 + η²/8)/(1 - η)² for hard disks (D. Henderson, Molecular Physics 30 (1975) 971). The walls
keep the centres a radius away, so a finite box has a slightly higher pressure than an endless one.
"""

import numpy as np

from carom import Simulation, library

count, mass, speed = 2000, 0.01, 1.0
thermal_energy = 0.5 * mass * speed**2  # k_B T in two dimensions, J

print("packing   measured, N/m   equation of state, N/m")
for packing in (0.01, 0.1, 0.3):
    scene = library.load("gas", count=count, packing_fraction=packing, periodic=False, mass=mass, speed=speed)
    simulation = Simulation(scene).run(collisions=50_000)  # forget the lattice that the gas began as
    start = simulation.time
    hits = simulation.collide(collisions=200_000)
    at_walls = hits["impulse"][hits["kind"] == 2].sum()
    length, width = scene.boundary.size
    measured = at_walls / (simulation.time - start) / (2.0 * (length + width))
    expected = count * thermal_energy / (length * width) * (1.0 + packing**2 / 8.0) / (1.0 - packing) ** 2
    print(f"{packing:7.2f}   {measured:13.3f}   {expected:13.3f}   ({100.0 * (measured / expected - 1.0):+.1f} %)")

speeds = np.linalg.norm(simulation.velocities, axis=1)
print(f"mean speed {speeds.mean():.3f} m/s; Maxwell's law says {speed * np.sqrt(np.pi / 4.0):.3f} m/s")
