"""Library of scenes: fixed ones in TOML files, and generators with parameters.

names()                                   the names of all scenes
catalogue()                               entries with title, group, parameters, and what to look at
load("break")                             a fixed scene
load("gas", count=10_000, seed=7)         one from a generator
generate("gas", {"count": 10_000})        what a scene file with a [generator] table calls
"""

from carom.scene.library.registry import Entry, Parameter, catalogue, generate, generators, load, names

__all__ = ["Entry", "Parameter", "catalogue", "generate", "generators", "load", "names"]
