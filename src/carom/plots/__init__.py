"""Plots of runs: functions that draw into matplotlib's Axes and return them.

Each takes a recording, the path of its file, or arrays.
"""

from carom.plots.distributions import radial, speeds
from carom.plots.network import network
from carom.plots.style import style
from carom.plots.times import energy, momentum
from carom.plots.trajectories import space_time, trajectories

__all__ = ["energy", "momentum", "network", "radial", "space_time", "speeds", "style", "trajectories"]
