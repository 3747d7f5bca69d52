"""Pictures of what was measured: functions that give matplotlib's Axes.

Each takes a recording, the name of its file, or arrays.
"""

from carom.plots.chains import network
from carom.plots.distributions import radial, speeds
from carom.plots.paths import space_time, trajectories
from carom.plots.style import style
from carom.plots.times import energy, momentum

__all__ = ["energy", "momentum", "network", "radial", "space_time", "speeds", "style", "trajectories"]
