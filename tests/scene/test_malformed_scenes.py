"""Bad input through the command line: exit code 2, everything told at once by place, value, unit, condition and remedy; nothing written."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
import tomli_w

import yawara
import yawara.cli
import yawara.run
from good_scene import GONE, GOOD, changed
from yawara.checks import SceneError

PRESS = GOOD["drive"][0]
BODY = GOOD["body"]["dough"]
UNDAMPED = {"type": "voigt", "k": 300.0, "c": 0.0}

# name: (what is changed, the place in the message, what the sentence about it must contain)
# A condition on two fields of a table stands at the table, and its sentence names the fields.
MISSING = {
    "no end": ({"time.end": GONE}, "time.end", ["is missing", "[s]", "add it"]),
    "no time": ({"time": GONE}, "time", ["is missing", "add it"]),
    "no law": ({"body.dough.law": GONE}, "body.dough", ["needs exactly one of law and material", "got neither", "keep one"]),
    "no spacing": ({"body.dough.spacing": GONE}, "body.dough.spacing", ["is missing", "[m]", "add it"]),
    "no law parameter": ({"body.dough.law.c2": GONE}, "body.dough.law.c2", ["is missing", "[N s/m]", "add it"]),
    "no times": ({"drive.0.times": GONE}, "drive.0.times", ["is missing", "[s]", "add it"]),
    "no displacement": ({"drive.0.displacement": GONE}, "drive.0.displacement", ["is missing", "[m]", "add it"]),
    "no shape": ({"body.dough.shape": GONE}, "body.dough", ["shape", "truss"]),
    "no law type": ({"body.dough.law.type": GONE}, "body.dough.law", ["type", "three_element"]),
    "no mass": ({"body.dough.density": GONE}, "body.dough", ["density [kg/m^3]", "mass [kg]", "got neither"]),
    "two masses": ({"body.dough.mass": 1.0}, "body.dough", ["density [kg/m^3]", "mass [kg]", "got both"]),
    "no bodies": ({"body": {}, "fix": GONE, "drive": GONE}, "body", ["at least one body", "[body.NAME]"]),
    "no body table": ({"body": GONE, "fix": GONE, "drive": GONE}, "body", ["is missing", "add it"]),
}
OUT_OF_BOUNDS = {
    "negative spacing": ({"body.dough.spacing": -0.01}, "body.dough.spacing", ["> 0 m ", "(got -0.01)", "positive length"]),
    "negative density": ({"body.dough.density": -1200.0}, "body.dough.density", ["> 0 kg/m^3 ", "(got -1200)", "water 1000"]),
    "negative k1": ({"body.dough.law.k1": -300.0}, "body.dough.law.k1", [">= 0 N/m ", "(got -300)", "a spring cannot"]),
    "negative c1": ({"body.dough.law.c1": -6.0}, "body.dough.law.c1", [">= 0 N s/m ", "(got -6)", "a damper cannot"]),
    "negative end": ({"time.end": -1.0}, "time.end", ["> 0 s ", "(got -1)", "positive time"]),
    "negative time": ({"drive.0.times": [-1.0, 0.01]}, "drive.0.times.0", [">= 0 s ", "(got -1)", "time begins at 0"]),
    "zero damper": ({"body.dough.law.c2": 0.0}, "body.dough.law.c2", ["> 0 N s/m ", "(got 0)", "use another law"]),
    "zero law": ({"body.dough.law": {"type": "voigt", "k": 0, "c": 0}}, "body.dough.law", ["k = 0 N/m", "c = 0 N s/m", "> 0"]),
    "nan": ({"body.dough.spacing": math.nan}, "body.dough.spacing", ["finite number in m ", "(got nan)", "give a finite"]),
    "inf": ({"time.end": math.inf}, "time.end", ["finite number in s ", "(got inf)", "give a finite"]),
    "nan in a vector": ({"gravity": [0, 0, math.nan]}, "gravity", ["finite number in m/s^2 ", "(got nan)", "give a finite"]),
    "flat body": ({"body.dough.counts": [1, 1, 1]}, "body.dough.counts", [">= 2 points", "(got 1)", "would be empty"]),
    "empty body": ({"body.dough.counts": [0, 3, 3]}, "body.dough.counts", [">= 2 points", "(got 0)", "would be empty"]),
    "too many points": ({"body.dough.counts": [5000] * 3}, "body.dough.counts", ["GB", "1.25e+11 points", "lower the counts"]),
    "long axis": ({"body.dough.counts": [500000, 3, 3]}, "body.dough.counts", ["<= 100000", "(got 500000)", "larger spacing"]),
    "threads": ({"time.threads": 100}, "time.threads", [">= 0 and <= 64", "(got 100)"]),
    "tiny step": ({"time.step": 1e-30}, "time", ["step must", "(got 1e-30 s)", "fewer than 1e+10 steps", "raise it"]),
    "zero step": ({"time.step": 0}, "time.step", ["> 0 s ", "(got 0)", "positive time"]),
    "long step": ({"time.step": 0.5}, "time", ["step must be <= end = 0.02 s", "(got 0.5 s)", "lower it"]),
    "long frame": ({"time.frame": 5.0}, "time", ["frame must be <= end = 0.02 s", "(got 5 s)", "look more often"]),
    "endless run": ({"time.end": 1e9, "time.frame": GONE}, "time.end", ["steps", "1e+09"]),
    "no stable step": (
        {"time.integrator": "euler", "body.dough.law": UNDAMPED},
        "time.integrator",
        ["euler has no stable step", "use semi_implicit_euler or rk4"],
    ),
    "vanishing spacing": ({"body.dough.spacing": 1e-300}, "body.dough.spacing", ["1e-300", " m"]),
    "vanishing density": ({"body.dough.density": 1e-310}, "body.dough.density", ["1e-310", "kg/m^3"]),
    "beyond all worlds": (
        {"body.dough.spacing": 1e103},
        "body.dough.spacing",
        ["within 1e+30 m", "(got 1e+103)", "check the unit"],
    ),
    "a tool beyond": (
        {"tool": {"ball": {"shape": "sphere", "radius": 0.01, "origin": [0.0, 0.0, 1e199]}}},
        "tool.ball.origin",
        ["within 1e+30 m", "(got 1e+199)", "check the unit"],
    ),
    "never caught": (
        {
            "tool": {"ball": {"shape": "sphere", "radius": 0.01, "origin": [0.0, 0.0, 1.0]}},
            "body.dough.velocity": [1e20, 0.0, 0.0],
        },
        "time.end",
        ["fewer than 1e+10 steps", "at 1e+20 m/s", "let things move more slowly"],
    ),
    "lost in space": ({"body.dough.origin": [1e300, 0.0, 0.0]}, "body.dough.origin", ["1e+300", " m"]),
}
WRONG_TYPE = {
    "text for number": ({"body.dough.spacing": "wide"}, "body.dough.spacing", ["number in m ", "(got 'wide')", "plain number"]),
    "list for a table": ({"time": [1]}, "time", ["must be a table", "(got [1])", "{ end = ... }"]),
    "table for a list": ({"fix": {}}, "fix", ["must be a list", "(got {})", "[[fix]]"]),
    "list for number": ({"body.dough.spacing": [0.01]}, "body.dough.spacing", ["number in m ", "(got [0.01])", "plain number"]),
    "bool for number": ({"body.dough.spacing": True}, "body.dough.spacing", ["number in m ", "(got True)", "plain number"]),
    "number for text": ({"name": 5}, "name", ["text", "(got 5)"]),
    "number for body": ({"drive.0.body": 5}, "drive.0.body", ["text", "(got 5)"]),
    "number for list": ({"drive.0.times": 5}, "drive.0.times", ["(got 5)"]),
    "number for table": ({"time": 3}, "time", ["(got 3)"]),
    "number for vector": ({"gravity": -9.81}, "gravity", ["three numbers", "m/s^2", "(got -9.81)", "write for example"]),
    "short vector": ({"gravity": [0, 0]}, "gravity", ["three numbers", "m/s^2", "(got [0, 0])", "write for example"]),
    "half a point": ({"body.dough.counts": [3.5, 3, 3]}, "body.dough.counts", ["whole", "(got 3.5)", "leave out the decimals"]),
    "two counts": ({"body.dough.counts": [3, 3]}, "body.dough.counts", ["3 whole numbers", "(got [3, 3])", "[6, 6, 6]"]),
    "axes": ({"drive.0.axes": "xw"}, "drive.0.axes", ["letters x, y, z", "(got 'xw')", "write for example"]),
    "format as bool": ({"format": True}, "format", ["must be 1", "(got True)"]),
    "format of the future": ({"format": 2}, "format", ["must be 1", "(got 2)", "reads format 1 only"]),
}
WRONG_UNIT = {
    "mm": ({"body.dough.spacing": "10 mm"}, "body.dough.spacing", ["'10 mm'", "values are in m", "write 0.01"]),
    "ms": ({"time.end": "200 ms"}, "time.end", ["'200 ms'", "values are in s", "write 0.2"]),
    "N/mm": ({"body.dough.law.k1": "3 N/mm"}, "body.dough.law.k1", ["'3 N/mm'", "values are in N/m", "write 3000"]),
    "g/cm3": ({"body.dough.density": "1.2 g/cm3"}, "body.dough.density", ["'1.2 g/cm3'", "values are in kg/m^3", "write 1200"]),
    "kPa": ({"body.dough.law.k1": "3 kPa"}, "body.dough.law.k1", ["number in N/m ", "(got '3 kPa')", "plain number, in N/m"]),
    "own unit": ({"body.dough.law.c1": "6 N s/m"}, "body.dough.law.c1", ["'6 N s/m'", "values are in N s/m", "write 6"]),
}
UNKNOWN_NAME = {
    "key of a body": ({"body.dough.spacng": 0.01}, "body.dough.spacng", ["unknown key", "did you mean 'spacing'?"]),
    "key of a law": ({"body.dough.law.k_1": 300.0}, "body.dough.law.k_1", ["unknown key", "did you mean 'k1'?"]),
    "key of the time": ({"time.inegrator": "rk4"}, "time.inegrator", ["unknown key", "did you mean 'integrator'?"]),
    "table": ({"outptu": {"glb": True}}, "outptu", ["unknown key", "did you mean 'output'?"]),
    "law": ({"body.dough.law.type": "three_elment"}, "body.dough.law", ["'three_elment'", "did you mean 'three_element'?"]),
    "shape": ({"body.dough.shape": "trus"}, "body.dough", ["'trus'", "did you mean 'truss'?"]),
    "integrator": ({"time.integrator": "rk5"}, "time.integrator", ["'rk5'", "did you mean 'rk4'?"]),
    "far from any": ({"time.integrator": "zzzz"}, "time.integrator", ["'zzzz'", "valid: euler, semi_implicit_euler, rk4"]),
    "probe": ({"probe": {"v": {"type": "volum", "body": "dough"}}}, "probe.v", ["'volum'", "did you mean 'volume'?"]),
    "body": ({"drive.0.body": "duogh"}, "drive.0.body", ["'duogh'", "did you mean 'dough'?"]),
    "component of a stress": (
        {"probe": {"s": {"type": "stress", "body": "dough", "points": "top", "component": "presure"}}},
        "probe.s.component",
        ["'presure'", "did you mean 'pressure'?"],
    ),
    "component of a strain": (
        {"probe": {"s": {"type": "strain", "body": "dough", "points": "top", "component": "pressure"}}},
        "probe.s.component",
        ["'pressure'", "valid: xx, yy, zz, yz, zx, xy, volumetric, equivalent, largest"],
    ),
    "component of another kind": (
        {"probe": {"s": {"type": "residual_strain", "body": "dough", "points": "top", "component": 3}}},
        "probe.s.component",
        ["3 is not known"],
    ),
    "points of a stress": (
        {"probe": {"s": {"type": "stress", "body": "dough", "points": "topp"}}},
        "probe.s.points",
        ["'topp'", "did you mean 'top'?"],
    ),
    "body of a probe": (
        {"probe": {"v": {"type": "volume", "body": "doug"}}},
        "probe.v.body",
        ["'doug'", "did you mean 'dough'?"],
    ),
    "face": ({"drive.0.points": "tpo"}, "drive.0.points", ["'tpo'", "did you mean 'top'?"]),
    "other face": (
        {"probe": {"d": {"type": "distance", "body": "dough", "points": "top", "other_points": "botom"}}},
        "probe.d.other_points",
        ["'botom'", "did you mean 'bottom'?"],
    ),
}
SELECTION = {
    "empty list": ({"drive.0.points": []}, "drive.0.points", ["list of point numbers", "(got [])", "write for example 'top'"]),
    "empty box": (
        {"drive.0.points": {"min": [1.5, 1.5, 1.5], "max": [2.5, 2.5, 2.5]}},
        "drive.0.points",
        ["selects no point", "1.5, 1.5, 1.5", "2.5, 2.5, 2.5", "from (0, 0, 0) to (0.02, 0.02, 0.02) m", "widen"],
    ),
    "half a box": ({"drive.0.points": {"min": [0, 0, 0]}}, "drive.0.points.max", ["is missing", "add it"]),
    "point number": ({"drive.0.points": [3, 400]}, "drive.0.points", ["point 400 does not exist", "0 to 26"]),
    "negative number": ({"drive.0.points": [-1]}, "drive.0.points", [">= 0", "(got [-1])", "write for example 'top'"]),
}
TABLES = {
    "times fall": ({"drive.0.times": [0.01, 0.0]}, "drive.0", ["times must increase", "0.01 s then 0 s", "sort them"]),
    "times stand": ({"drive.0.times": [0.01, 0.01]}, "drive.0", ["times must increase", "0.01 s then 0.01 s", "leave out"]),
    "lengths": (
        {"drive.0.times": [0.0]},
        "drive.0",
        ["times and displacement", "(got 1 and 2)", "one displacement for each time"],
    ),
    "no times": (
        {"drive.0.times": [], "drive.0.displacement": []},
        "drive.0",
        ["times", "[s]", "(got none)", "write for example"],
    ),
    "first displacement": (
        {"drive.0.displacement": [[0, 0, 0.1], [0, 0, 0]]},
        "drive.0",
        ["first displacement must be [0, 0, 0] m", "(got [0.0, 0.0, 0.1])", "start where they are"],
    ),
    "early release": (
        {"drive.0.times": [0.01, 0.012], "drive.0.release": 0.005},
        "drive.0",
        ["release must be > the first time 0.01 s", "(got 0.005 s)", "release later"],
    ),
    "ignored axis": (
        {"drive.0.axes": "z", "drive.0.displacement": [[0, 0, 0], [0.1, 0, 0]]},
        "drive.0",
        ["displacement along x", "axes = 'z'", "add the axis"],
    ),
    "jump": ({"drive.0.interpolation": "step"}, "drive.0.interpolation", ["'step'", "linear, smooth"]),
}
OVERLAP = {
    "two drives of a name": ({"drive": [PRESS, PRESS]}, "drive.1.name", ["'press'", "2 times", "give each its own"]),
    "drive named as a body": ({"drive.0.name": "dough"}, "drive.0.name", ["'dough'", "2 times", "give each its own"]),
    "a made-up name": (
        {"drive": [{**PRESS, "name": ""}, {**PRESS, "name": "drive1", "points": [13]}]},
        "drive.1.name",
        ["'drive1'"],
    ),
    "a column of every run": ({"probe": {"time": {"type": "volume", "body": "dough"}}}, "probe.time", ["'time'"]),
    "comma in a name": ({"drive.0.name": "press,hard"}, "drive.0.name", ["letters, digits", "(got 'press,hard')"]),
    "space in a name": (
        {"probe": {"a b": {"type": "volume", "body": "dough"}}},
        "probe.a b",
        ["letters, digits", "(got 'a b')", "column name"],
    ),
    "two drives on the same points": (
        {"drive": [PRESS, {**PRESS, "name": "again"}]},
        "drive.0, drive.1",
        ["both hold 9 of the same points", "release one of them earlier"],
    ),
    "drive on fixed points": (
        {"drive.0.points": "bottom"},
        "fix.0, drive.0",
        ["both hold 9 of the same points", "take the points out of one"],
    ),
}
ELASTIC = {"density": 1000.0, "youngs_modulus": 1e4}


def of_material(**fields):
    """What makes the good body one of a material instead of a law."""
    return {"body.dough.law": GONE, "body.dough.density": GONE, "body.dough.material": {**ELASTIC, **fields}}


def named(material):
    return {"body.dough.law": GONE, "body.dough.density": GONE, "body.dough.material": material}


def from_file(shape, **fields):
    """A body that would be read from a file, if it came to that."""
    needed = {"shape": shape, "file": "body.stl", "density": 1000.0, "law": BODY["law"]}
    return {"body.dough": {key: value for key, value in {**needed, **fields}.items() if value is not GONE}}


SHEET = {"body.dough.shape": "sheet", "body.dough.counts": [3, 3]}
ROW = {"body.dough.shape": "chain", "body.dough.counts": [3], "fix": GONE, "drive": GONE}
BOX = {"min": [0.0, 0.0, 0.0], "max": [0.01, 0.01, 0.01]}
EFFECT = {
    "no threshold": (
        {"body.dough.inversion_barrier": {"threshold": 0}},
        "body.dough.inversion_barrier.threshold",
        ["> 0 and <= 0.5", "no unit", "(got 0)", "; 0.25 lets a cell be pressed"],
    ),
    "high threshold": (
        {"body.dough.inversion_barrier": {"threshold": 0.6}},
        "body.dough.inversion_barrier.threshold",
        ["> 0 and <= 0.5", "no unit", "(got 0.6)", "; 0.25 lets a cell be pressed"],
    ),
    "threshold as text": (
        {"body.dough.inversion_barrier": {"threshold": "x"}},
        "body.dough.inversion_barrier.threshold",
        ["must be a number", "(got 'x')", "; write a plain number"],
    ),
    "negative stiffness": (
        {"body.dough.inversion_barrier": {"stiffness": -1}},
        "body.dough.inversion_barrier.stiffness",
        ["> 0 N/m ", "(got -1)", "leave it out to have it derived"],
    ),
    "negative damping": (
        {"body.dough.inversion_barrier": {"damping": -1}},
        "body.dough.inversion_barrier.damping",
        [">= 0 N s/m ", "(got -1)", "leave it out to have it derived"],
    ),
    "misspelt threshold": (
        {"body.dough.inversion_barrier": {"treshold": 0.1}},
        "body.dough.inversion_barrier.treshold",
        ["unknown key", "did you mean 'threshold'?"],
    ),
    "barrier as a switch": (
        {"body.dough.inversion_barrier": True},
        "body.dough.inversion_barrier",
        ["must be a table", "(got True)"],
    ),
    "barrier of a row": (
        {**ROW, "body.dough.inversion_barrier": {}},
        "body.dough",
        ["inversion_barrier", "(got a row", "no cells", "use a sheet"],
    ),
    "negative cavity": (
        {"body.dough.volume": {"cavity": -1}},
        "body.dough.volume.cavity",
        [">= 0 Pa ", "(got -1)", "times Young's modulus"],
    ),
    "cavity in kPa": (
        {"body.dough.volume": {"cavity": "5 kPa"}},
        "body.dough.volume.cavity",
        ["'5 kPa'", "values are in Pa", "write 5000"],
    ),
    "negative cavity_damping": (
        {"body.dough.volume": {"cavity_damping": -1}},
        "body.dough.volume.cavity_damping",
        [">= 0 Pa s ", "(got -1)", "damps well"],
    ),
    "negative cells": ({"body.dough.volume": {"cells": -1}}, "body.dough.volume.cells", [">= 0 Pa ", "(got -1)"]),
    "cells_damping as text": (
        {"body.dough.volume": {"cells_damping": "x"}},
        "body.dough.volume.cells_damping",
        ["number in Pa s ", "(got 'x')", "plain number, in Pa s"],
    ),
    "centres of a truss": (
        {"body.dough.volume": {"centres": True}},
        "body.dough",
        ["volume.centres must be false in a truss", "(got true)", "use a lattice"],
    ),
    "centres as text": ({"body.dough.volume": {"centres": "x"}}, "body.dough.volume.centres", ["true or false", "(got 'x')"]),
    "no centre_factor": (
        {"body.dough.shape": "lattice", "body.dough.volume": {"centres": True, "centre_factor": 0}},
        "body.dough.volume.centre_factor",
        ["> 0 ", "no unit", "(got 0)", "Noborio et al. 2003 use 0.5"],
    ),
    "misspelt cavity": (
        {"body.dough.volume": {"cavty": 1.0}},
        "body.dough.volume.cavty",
        ["unknown key", "did you mean 'cavity'?"],
    ),
}
MATERIAL = {
    "unknown": (named("weat_dough"), "body.dough.material", ["'weat_dough' is not known", "did you mean 'wheat_dough'?"]),
    "far from any": (named("zzz"), "body.dough.material", ["'zzz' is not known", "valid: wheat_dough, slack_dough, clay"]),
    "number": (named(5), "body.dough.material", ["must be a table", "(got 5)", "{ density = ... }"]),
    "law and material": (
        {"body.dough.material": "rubber"},
        "body.dough",
        ["needs exactly one of law and material", "(got both)", "keep one"],
    ),
    "low Poisson": (
        of_material(poisson=-0.1),
        "body.dough.material.poisson",
        [">= 0 and <= 0.5", "no unit", "(got -0.1)", "foam"],
    ),
    "high Poisson": (
        of_material(poisson=0.6),
        "body.dough.material.poisson",
        [">= 0 and <= 0.5", "no unit", "(got 0.6)", "foam"],
    ),
    "Poisson of a volume": (
        of_material(poisson=0.5),
        "body.dough.material.poisson",
        ["must be <= 0.499", "(got 0.5)", "0.49 keeps volume"],
    ),
    "Poisson of a volume of links": (
        {**of_material(poisson=0.5), "body.dough.elements": "links"},
        "body.dough",
        ["poisson must be 0.25 to 0.49", "(got 0.5)", "can only add"],
    ),
    "Poisson of a sheet": (
        {**SHEET, **of_material(poisson=0.25), "body.dough.elements": "links"},
        "body.dough",
        ["poisson must be 0.333 to 0.5 in a sheet", "(got 0.25)", "can only add"],
    ),
    "both moduli": (
        of_material(shear_modulus=1e3),
        "body.dough.material",
        ["exactly one of youngs_modulus [Pa] and shear_modulus [Pa]", "(got both)", "keep one"],
    ),
    "no modulus": (
        {"body.dough.law": GONE, "body.dough.material": {"density": 1e3}},
        "body.dough.material",
        ["[Pa]", "(got neither)"],
    ),
    "no density": (
        {"body.dough.law": GONE, "body.dough.material": {"youngs_modulus": 1e4}},
        "body.dough.material.density",
        ["is missing", "[kg/m^3]", "add it"],
    ),
    "modulus in kPa": (
        of_material(youngs_modulus="10 kPa"),
        "body.dough.material.youngs_modulus",
        ["'10 kPa'", "values are in Pa", "write 10000"],
    ),
    "quick relaxation": (
        of_material(relaxation_time=0.001),
        "body.dough.material",
        ["relaxation_time must be > retardation_time = 0.01 s", "(got 0.001 s)", "make it longer"],
    ),
    "large residual": (
        of_material(residual_fraction=1.2),
        "body.dough.material.residual_fraction",
        ["> 0 and <= 0.999", "no unit", "(got 1.2)", "leave it out"],
    ),
    "cells beside a material": (
        {**of_material(), "body.dough.volume": {"cells": 1e4}},
        "body.dough",
        ["volume.cells must be 0 with a material", "leave it out"],
    ),
}
MESH = {
    "unit of a surface": (
        from_file("filled", spacing=0.01, unit="furlong"),
        "body.dough.unit",
        ["'furlong'", "valid: m, cm, mm, um, in"],
    ),
    "unit of a mesh": (from_file("mesh", unit="furlong"), "body.dough.unit", ["'furlong'", "valid: m, cm, mm, um, in"]),
    "no spacing": (from_file("filled", spacing=0), "body.dough.spacing", ["> 0 m ", "(got 0)", "positive length"]),
    "spacing left out": (from_file("filled"), "body.dough.spacing", ["is missing", "[m]", "add it"]),
    "no file": (from_file("filled", spacing=0.01, file=GONE), "body.dough.file", ["is missing", "add it", "closed surface"]),
    "number for file": (from_file("mesh", file=5), "body.dough.file", ["text", "(got 5)"]),
    "cells": (
        from_file("filled", spacing=0.01, cells="tetrahedron"),
        "body.dough.cells",
        ["'tetrahedron'", "did you mean 'tetrahedra'?"],
    ),
    "thickness": (from_file("mesh", thickness=0), "body.dough.thickness", ["> 0 m ", "(got 0)", "positive length"]),
    "missing file": (from_file("filled", spacing=0.01), "body.dough.file", ["body.stl: there is no such file", "check the path"]),
    "refined triangles": (
        {**SHEET, "body.dough.refine": [BOX]},
        "body.dough",
        ["refine needs the pattern 'alternating'", "(got 'triangles')", "set pattern, or leave refine out"],
    ),
    "refined lattice": (
        {"body.dough.shape": "lattice", "body.dough.refine": [BOX]},
        "body.dough.refine",
        ["unknown key", "did you mean 'region'?"],
    ),
    "half a box": ({"body.dough.refine": [{"min": [0, 0, 0]}]}, "body.dough.refine.0.max", ["is missing", "[m]", "add it"]),
    "short near": ({"drive.0.points": {"near": [0, 0]}}, "drive.0.points.near", ["three numbers", " m ", "(got [0, 0])"]),
    "misspelt implicit": (
        {"time.integrator": "implict_euler"},
        "time.integrator",
        ["'implict_euler'", "did you mean 'implicit_euler'?"],
    ),
}
CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "missing": MISSING, "bounds": OUT_OF_BOUNDS, "type": WRONG_TYPE, "unit": WRONG_UNIT, "name": UNKNOWN_NAME,
        "selection": SELECTION, "table": TABLES, "overlap": OVERLAP, "effect": EFFECT, "material": MATERIAL, "mesh": MESH,
    }.items()
    for name, case in cases.items()
}  # fmt: skip


@pytest.fixture
def refuse(tmp_path, monkeypatch, capsys):
    """Run a scene text on the command line, expect that it is refused before anything is written, return the message's lines."""

    def simulate(*_, **__):
        pytest.fail("the run was started")

    def run(text, *options):
        scene, out = tmp_path / "scene.toml", tmp_path / "out"
        if text is not None:
            scene.write_text(text, encoding="utf-8")
        monkeypatch.setattr(yawara.run, "simulate", simulate)
        monkeypatch.setattr(sys, "argv", ["yawara", "run", str(scene), "--out", str(out), *options])
        with pytest.raises(SystemExit) as end:
            yawara.cli.main()
        printed, message = capsys.readouterr()
        assert end.value.code == 2
        assert "Traceback" not in printed + message
        assert message.startswith("yawara: ")
        assert not out.exists()
        return message.splitlines()

    return run


def sentence(lines, place):
    """What is said about a place."""
    head = f"  {place}: "
    found = [line.removeprefix(head) for line in lines if line.startswith(head)]
    assert found, f"nothing is said about {place}:\n" + "\n".join(lines)
    return found[0]


def test_the_scene_that_the_cases_change_is_good():
    assert yawara.compile_scene(yawara.Scene.model_validate(GOOD)).model.point_count == 27


@pytest.mark.parametrize(("changes", "place", "words"), CASES.values(), ids=CASES)
def test_refused_by_place_value_unit_condition_and_remedy(refuse, changes, place, words):
    lines = refuse(tomli_w.dumps(changed(changes)))
    said = sentence(lines, place)
    assert [word for word in words if word not in said] == [], said
    assert "; " in said, f"no remedy: {said}"
    assert lines[0].endswith("has 1 error:")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("[time\nend = 1", ["is not TOML", "line 1", "scene.toml"], id="not TOML"),
        pytest.param("[time]\nend = 1\n[time]\nend = 2", ["is not TOML", "time", "twice", "line 3"], id="table given twice"),
        pytest.param("[time]\nend = 1\nend = 2", ["is not TOML", "docs/scene-format.md"], id="key given twice"),
        pytest.param(None, ["there is no file", "scene.toml", "check the name"], id="no such file"),
    ],
)
def test_a_file_that_cannot_be_read(refuse, text, words):
    message = "\n".join(refuse(text))
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("body.duogh.spacing=1", ["body.duogh.spacing=1", "there is no body.duogh", "did you mean 'dough'?"]),
        ("fix.5.body=dough", ["fix.5.body=dough", "there is no fix.5", "valid: 0"]),
        ("name.first=x", ["name.first=x", "name has no entry first", "check the path"]),
        ("body.dough.spacng=1", ["body.dough.spacng", "unknown key", "did you mean 'spacing'?"]),
        ("body.dough.spacing=10 mm", ["body.dough.spacing", "'10 mm'", "write 0.01"]),
        ("body.dough.spacing", ["body.dough.spacing", "must look like", "write path=value"]),
        ("=3", ["=3", "must look like", "write path=value"]),
    ],
)
def test_a_setting_that_leads_nowhere(refuse, setting, words):
    message = "\n".join(refuse(tomli_w.dumps(GOOD), "--set", setting))
    assert [word for word in words if word not in message] == [], message


NO_SPRING = {"type": "voigt", "k": 0.0, "c": 1.0}


def test_the_barrier_of_links_without_springs_needs_a_stiffness(refuse):
    said = sentence(
        refuse(tomli_w.dumps(changed({"body.dough.law": NO_SPRING, "body.dough.inversion_barrier": {}}))),
        "body.dough.inversion_barrier.stiffness",
    )
    assert "[N/m]" in said
    assert "; " in said


def test_finer_regions_of_links_without_springs_are_refused(refuse):
    said = sentence(refuse(tomli_w.dumps(changed({"body.dough.law": NO_SPRING, "body.dough.refine": [BOX]}))), "body.dough.law")
    assert "spring" in said
    assert "; " in said


def test_half_a_residual_after(refuse):
    lines = refuse(tomli_w.dumps(changed(of_material(residual_fraction=0.2, residual_after=[1.0]))))
    assert "two times in s" in "\n".join(lines)


FIVE = {
    "time.end": GONE,
    "body.dough.spacing": "10 mm",
    "body.dough.law.k1": -1.0,
    "drive.0.points": [],
    "output": {"gbl": True},
}
FIVE_KINDS = {  # a value, a name, a table, a reference, a name used twice
    "body.dough.spacing": -0.01,
    "body.dough.law.k_1": 300.0,
    "drive.0.times": [0.01, 0.0],
    "fix.0.body": "duogh",
    "drive.0.name": "dough",
}


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        (FIVE, ["time.end", "body.dough.spacing", "body.dough.law.k1", "drive.0.points", "output.gbl"]),
        (FIVE_KINDS, ["body.dough.spacing", "body.dough.law.k_1", "drive.0", "fix.0.body", "drive.0.name"]),
    ],
    ids=["values", "kinds"],
)
def test_all_errors_are_told_at_once(refuse, changes, places):
    lines = refuse(tomli_w.dumps(changed(changes)))
    for place in places:
        sentence(lines, place)
    assert lines[0].endswith("has 5 errors:")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"body.dough.spacing": "10 mm"}, ["  body.dough.spacing: must be a number in m (got '10 mm')", "write 0.01"]),
        ({"drive.0.points": "tpo"}, ["  drive.0.points: face 'tpo' is not known here; did you mean 'top'?"]),
    ],
    ids=["while reading", "while building"],
)
def test_the_installed_command_refuses_too(tmp_path, changes, words):
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(changed(changes)), encoding="utf-8")
    command = [Path(sys.executable).with_name("yawara"), "run", "scene.toml", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert [word for word in words if word not in done.stderr] == [], done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "out").exists()


LAW = yawara.Voigt(k=1.0, c=1.0)
BLOCK = {"counts": (3, 3, 3), "spacing": 0.01, "density": 1200.0, "law": LAW}
PYTHON = {
    "spacing": (yawara.Truss, {**BLOCK, "spacing": -1.0}, "must be > 0 m (got -1); give a positive length in metres"),
    "unit": (yawara.Truss, {**BLOCK, "spacing": "10 mm"}, "(got '10 mm'); units are not written, values are in m: write 0.01"),
    "misspelt": (yawara.Lattice, {**BLOCK, "spacng": 1.0}, "unknown keyword; did you mean 'spacing'?"),
    "missing": (yawara.Chain, {"counts": (3,), "law": LAW, "mass": 1.0}, "is missing; add spacing=... [m]: distance between"),
    "counts": (yawara.Sheet, {**BLOCK, "counts": (3, 1)}, "must be >= 2 points along each axis (got 1); the body would be empty"),
    "law": (yawara.ThreeElement, {"k1": 1.0, "c1": 1.0, "c2": 0.0}, "must be > 0 N s/m (got 0); without the damper use"),
    "nan": (yawara.Voigt, {"k": math.nan, "c": 1.0}, "must be a finite number in N/m (got nan); give a finite value"),
    "step": (yawara.Time, {"end": 1.0, "step": 2.0}, "step must be <= end = 1 s (got 2 s); lower it, or leave it out"),
    "drive": (yawara.Drive, {**PRESS, "times": (0.1, 0.0)}, "times must increase (got 0.1 s then 0 s); sort them"),
    "selection": (yawara.Fix, {"body": "dough", "points": ()}, "must be a face name, 'all', a list of point numbers"),
    "reference": (
        yawara.Scene,
        {"time": yawara.Time(end=1.0), "body": {"dough": yawara.Truss(**BLOCK)}, "fix": ({"body": "duogh", "points": "top"},)},
        "there is no body 'duogh'; did you mean 'dough'?",
    ),
}


@pytest.mark.parametrize(("kind", "arguments", "words"), PYTHON.values(), ids=PYTHON)
def test_python_objects_say_the_same(kind, arguments, words):
    with pytest.raises(SceneError) as error:
        kind(**arguments)
    assert words in str(error.value)


def test_python_scenes_that_do_not_fit_together_say_the_same():
    with pytest.raises(yawara.SceneError, match=r"drive\.0\.points: face 'tpo' is not known here; did you mean 'top'\?"):
        yawara.simulate(yawara.Scene.model_validate(changed({"drive.0.points": "tpo"})))
