"""Count the digits of π by collisions.

A heavy ball pushes a light one against a wall. With masses 1 : 100^n there are floor(10^n π) collisions
(G. Galperin, Regular and Chaotic Dynamics 8 (2003) 375).
"""

from carom import Simulation, library

for digits in range(6):
    simulation = Simulation(library.load("galperin-pi", digits=digits))
    simulation.run(until=1.0)
    print(f"masses 1 : {100**digits:<12} {simulation.collisions} collisions")
