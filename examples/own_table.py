"""A table of one's own: an L with a round hole, a peg and a rounded end, made in Python and saved as a scene file."""

from collections import Counter

import carom
from carom import Ball, Circle, Polygon, Restitution, Scene, Simulation

table = Polygon(
    vertices=[(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)],
    bulges=[0, 0, 0, 0, 1, 0],  # a half circle at the top
    holes=[Circle(centre=(0.5, 0.5), radius=0.15)],
)
scene = Scene(
    name="An L with a round end",
    boundary=table,
    restitution=Restitution(ball_ball=1.0, ball_wall=1.0),
    balls=[
        Ball(position=(1.5, 0.5), velocity=(0.7, 0.4), mass=0.2, radius=0.05, name="white"),
        Ball(position=(0.4, 1.6), velocity=(-0.2, 0.3), mass=0.2, radius=0.05, name="red"),
        Ball(position=(1.2, 0.3), radius=0.02, fixed=True, name="peg"),
    ],
)
carom.dump(scene, "table.toml")

simulation = Simulation(carom.load("table.toml"))
met = Counter(collision.wall or "another ball" for collision in simulation.events(collisions=1000))
for what, times in met.most_common():
    print(f"{times:4} × {what}")
print(f"energy kept to {abs(simulation.energy / Simulation(scene).energy - 1.0):.0e}")
