"""Positions and velocities of the planets, from Keplerian elements that change slowly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom import numerics

__all__ = ["ASTRONOMICAL_UNIT", "FIRST_DAY", "LAST_DAY", "PLANETS", "SUN_GM", "SUN_RADIUS", "PlanetElements", "state"]

FloatArray = NDArray[np.float64]

ASTRONOMICAL_UNIT = 149_597_870_700.0
"""In m, by definition (IAU 2012, Resolution B2)."""
DAY = 86_400.0
"""In s."""
CENTURY = 36_525.0
"""A Julian century, in days."""
SUN_GM = 1.32712440041279419e20
"""In m³/s²: DE440, R. S. Park, W. M. Folkner, J. G. Williams, D. H. Boggs, The Astronomical Journal 161 (2021) 105."""
SUN_RADIUS = 6.957e8
"""In m: the nominal solar radius (IAU 2015, Resolution B3)."""

FIRST_DAY, LAST_DAY = -73_048.5, 18_262.5
"""The elements hold from 1800 to 2050: days from J2000 (JD 2451545.0) to 1 January of both years, 0 h."""


@dataclass(frozen=True)
class PlanetElements:
    """The orbital elements of a planet with its moons.

    `elements` are those at J2000, `per_century` is their change per century: semi-major axis (au), eccentricity, and
    in degrees the inclination, mean longitude, longitude of the perihelion and longitude of the ascending node.
    """

    name: str
    gm: float
    """G times the mass, in m³/s², its moons included."""
    radius: float
    """Mean radius, in m."""
    elements: tuple[float, float, float, float, float, float]
    per_century: tuple[float, float, float, float, float, float]

    def at(self, days: float) -> FloatArray:
        """The elements at a time, days after J2000."""
        return np.array(self.elements) + days / CENTURY * np.array(self.per_century)


# GM: DE440, as above, of each planet with its moons. Mean radii: JPL, Planets: physical parameters
# (ssd.jpl.nasa.gov/planets/phys_par.html); of Neptune: the data sheet of JPL's Horizons. Elements: E. M. Standish and
# J. G. Williams, Approximate positions of the planets, table 1 (ssd.jpl.nasa.gov/planets/approx_pos.html), ecliptic and
# equinox of J2000; those of the Earth are of its barycentre with the Moon.
PLANETS = (
    PlanetElements(
        "Mercury", 2.2031868551e13, 2.4394e6,
        (0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593),
        (0.00000037, 0.00001906, -0.00594749, 149472.67411175, 0.16047689, -0.12534081),
    ),
    PlanetElements(
        "Venus", 3.24858592e14, 6.0518e6,
        (0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255),
        (0.00000390, -0.00004107, -0.00078890, 58517.81538729, 0.00268329, -0.27769418),
    ),
    PlanetElements(
        "Earth", 4.03503235625e14, 6.3710084e6,
        (1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0),
        (0.00000562, -0.00004392, -0.01294668, 35999.37244981, 0.32327364, 0.0),
    ),
    PlanetElements(
        "Mars", 4.2828375816e13, 3.3895e6,
        (1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891),
        (0.00001847, 0.00007882, -0.00813131, 19140.30268499, 0.44441088, -0.29257343),
    ),
    PlanetElements(
        "Jupiter", 1.267127641e17, 6.9911e7,
        (5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909),
        (-0.00011607, -0.00013253, -0.00183714, 3034.74612775, 0.21252668, 0.20469106),
    ),
    PlanetElements(
        "Saturn", 3.79405848418e16, 5.8232e7,
        (9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448),
        (-0.00125060, -0.00050991, 0.00193609, 1222.49362201, -0.41897216, -0.28867794),
    ),
    PlanetElements(
        "Uranus", 5.7945564e15, 2.5362e7,
        (19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503),
        (-0.00196176, -0.00004397, -0.00242939, 428.48202785, 0.40805281, 0.04240589),
    ),
    PlanetElements(
        "Neptune", 6.83652710058e15, 2.4624e7,
        (30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574),
        (0.00026291, 0.00005105, 0.00035372, 218.45945325, -0.32241464, -0.00508664),
    ),
)  # fmt: skip


def state(planet: PlanetElements, days: float, gm: float) -> tuple[FloatArray, FloatArray]:
    """Position, m, and velocity, m/s, relative to the focus of its ellipse, at a time in days after J2000.

    x points to the equinox of J2000 and z to the north of the ecliptic. The velocity is that of Kepler's motion on the
    ellipse of the day, where `gm` is G times all masses that count, its own and those inside, in m³/s².
    """
    a, e, *angles = planet.at(days)
    inclination, longitude, perihelion, node = np.radians(angles)
    a *= ASTRONOMICAL_UNIT
    anomaly = eccentric_anomaly(math.remainder(longitude - perihelion, 2.0 * math.pi), e)
    along, aside = math.cos(anomaly), math.sin(anomaly)
    flat = math.sqrt(1.0 - e * e)
    rate = math.sqrt(gm / a**3) / (1.0 - e * along)
    place = a * np.array([along - e, flat * aside, 0.0])
    velocity = a * rate * np.array([-aside, flat * along, 0.0])
    turn = numerics.product(numerics.product(about_z(node), about_x(inclination)), about_z(perihelion - node))
    return numerics.product(turn, place), numerics.product(turn, velocity)


def eccentric_anomaly(mean: float, e: float) -> float:
    """E of Kepler's equation, M = E - e sin E, by Newton's method; M from -π to π."""
    anomaly = mean + e * math.sin(mean)
    for _ in range(50):
        step = (mean - anomaly + e * math.sin(anomaly)) / (1.0 - e * math.cos(anomaly))
        anomaly += step
        if abs(step) < 1e-15:
            break
    return anomaly


def about_x(angle: float) -> FloatArray:
    """The matrix of a rotation about x, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def about_z(angle: float) -> FloatArray:
    """The matrix of a rotation about z, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
