"""Two pool breaks whose cue balls start a nanometre apart: when do they differ by a ball's width?"""

import numpy as np

from carom import Simulation, library

one = Simulation(library.load("pool-break", offset=0.001, ball_ball=1.0, ball_wall=1.0))
other = Simulation(library.load("pool-break", offset=0.001 + 1e-9, ball_ball=1.0, ball_wall=1.0))

print("time, s   collisions   largest difference, m")
for instant in np.arange(0.25, 10.0, 0.25):
    apart = np.linalg.norm(one.run(until=instant).positions - other.run(until=instant).positions, axis=1).max()
    print(f"{instant:7.2f}   {one.collisions:10}   {apart:.1e}")
    if apart > 2.0 * one.radii[0]:
        print(f"a ball's width after {one.collisions} collisions")
        break
