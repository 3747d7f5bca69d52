"""Bounces of a ball, against the closed form, until it rests.

Dropped from h it hits the floor at t₀ = √(2h/g); each bounce takes e times as long as the one before, so that bounce n
falls at t₀ (1 + 2e + … + 2eⁿ) and all of them are over at t₀ (1 + e)/(1 - e).
"""

from carom import Ball, Box, Scene, Simulation

height, g, e, radius = 1.0, 9.81, 0.8, 0.03
scene = Scene(
    boundary=Box(size=(0.4, 1.2)),
    gravity=(0.0, -g),
    restitution=e,
    balls=[Ball(position=(0.2, height + radius), radius=radius)],
)
simulation = Simulation(scene)
first = (2.0 * height / g) ** 0.5

print("bounce   time, s      closed form, s")
for number, bounce in enumerate(simulation.events(until=10.0)):
    exact = first * (1.0 + 2.0 * sum(e**k for k in range(1, number + 1)))
    if number % 10 == 0:
        print(f"{number:6}   {bounce.time:.9f}  {exact:.9f}")
print(f"all bounces are over at {first * (1.0 + e) / (1.0 - e):.9f} s")
print(f"at {simulation.time:g} s: {simulation.report}")
