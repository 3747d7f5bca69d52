"""A study: what its runs are, and that what is wrong with it is told in one clear line."""

import json
import pickle
import subprocess
import sys
import tomllib
from itertools import product

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from carom import Ball, Box, Scene, StudyError
from carom.observe.observable import Observable
from carom.scene import library
from carom.scene.io.files import dump
from carom.sweeps import ready
from carom.sweeps.study import paths
from carom.sweeps.study.study import MAX_RUNS, Study, plan_of, scene_of, schema

TEXT = """
name = "Equation of state"
scene = "gas"
repeats = 2
seed = 1
observables = ["compressibility", { name = "energy", take = "drift" }]

[parameters]
"generator.packing_fraction" = { linear = [0.1, 0.3], count = 3 }
"generator.count" = [10, 20]
"restitution" = { uniform = [0.9, 1.0] }
"run.step" = { log = [0.001, 0.1], count = 3 }

[run]
until = 1.0
every = 0.1

[plot]
x = "generator.packing_fraction"
y = "compressibility"
"""


FORM = jsonschema.Draft202012Validator(schema())


def study(**changes):
    return Study(**{"scene": "gas", "run": {"until": 1.0, "every": 0.1}, **changes})


def refused(**changes):
    with pytest.raises(StudyError) as error:
        study(**changes).check()
    return str(error.value)


class Highest(Observable):
    name, symbol, unit = "highest", "y_max", "m"

    def sample(self, sim):
        return float(sim.positions[:, 1].max())


# The runs.


def test_the_product_with_the_first_slowest_and_repeats_fastest():
    runs = [*Study.loads(TEXT)]
    assert len(runs) == len(Study.loads(TEXT)) == 3 * 2 * 3 * 2
    expected = list(product((0.1, 0.2, 0.3), (10, 20), (0.001, 0.01, 0.1), (0, 1)))
    paths = ("generator.packing_fraction", "generator.count", "run.step")
    assert [(*(run.parameters[path] for path in paths), run.repeat) for run in runs] == expected
    assert [run.index for run in runs] == list(range(36))
    assert [run.point for run in runs] == [k // 2 for k in range(36)]
    assert list(runs[0].parameters) == [*paths[:2], "restitution", "run.step"]


def test_what_is_zipped_goes_together_where_the_first_stands():
    one = study(
        parameters={"generator.count": [10, 20], "restitution": [0.8, 0.9], "generator.mass": [1.0, 2.0]},
        zip=[["generator.count", "generator.mass"]],
    )
    found = [tuple(run.parameters.values()) for run in one]
    assert found == [(10, 0.8, 1.0), (10, 0.9, 1.0), (20, 0.8, 2.0), (20, 0.9, 2.0)]
    assert one.points == 4


def test_values_may_come_again_where_others_beside_them_differ():
    groups = {"zip": [["generator.count", "generator.mass"]]}
    one = study(parameters={"generator.count": [4, 4, 5], "generator.mass": [1.0, 2.0, 1.0]}, **groups)
    assert len({run.id for run in one}) == len(one) == 3
    with pytest.raises(StudyError, match="4 is there twice"):
        study(parameters={"generator.count": [4, 4, 5], "generator.mass": [1.0, 1.0, 2.0]}, **groups)


def test_ids_and_seeds_are_all_different():
    runs = [*Study.loads(TEXT)]
    assert len({run.id for run in runs}) == len(runs)
    assert len({run.seed for run in runs}) == len(runs) / 3  # what differs in run.step alone starts alike
    assert all(len(run.id) == 16 and 0 <= run.seed < 2**63 for run in runs)


def runs_by_id(one):
    return {run.id: (run.repeat, run.seed, run.parameters) for run in one}


def test_a_run_is_the_same_wherever_it_stands():
    few = study(parameters={"generator.count": [10, 20], "restitution": [0.9]}, repeats=2)
    more = study(
        parameters={"restitution": [0.8, 0.9], "generator.count": {"linear": [5, 20], "step": 5}},
        repeats=3,
        name="longer",
        run={"until": 1.0, "every": 0.1, "time_limit": 5.0, "record": True},
    )
    assert runs_by_id(few).items() <= runs_by_id(more).items()


def test_whole_numbers_and_floats_of_the_same_value_are_the_same_run():
    one, other = (study(parameters={"restitution": [value]}).run_at(0) for value in (1, 1.0))
    assert (one.id, one.seed) == (other.id, other.seed)


@pytest.mark.parametrize(
    "changes",
    [
        {"scene": {"generator": {"kind": "gas", "count": 7}}},
        {"run": {"until": 2.0, "every": 0.1}},
        {"run": {"until": 1.0, "every": 0.2}},
        {"run": {"until": 1.0, "every": 0.1, "solver": "stepped"}},
        {"observables": ["energy"]},
        {"seed": 1},
        {"parameters": {"restitution": [0.9], "generator.mass": {"uniform": [1.0, 2.5]}}},
        {"parameters": {"restitution": [0.9]}},
    ],
)
def test_what_changes_a_run_or_its_row_changes_its_id(changes):
    plain = {"parameters": {"restitution": [0.9], "generator.mass": {"uniform": [1.0, 2.0]}}}
    assert study(**plain).run_at(0).id != study(**{**plain, **changes}).run_at(0).id


def test_what_is_drawn_differs_from_run_to_run_and_keeps_to_its_range():
    one = study(parameters={"restitution": {"uniform": [0.5, 0.6]}, "drag": {"uniform": [0.5, 0.6]}}, repeats=50)
    drawn = np.array([[*run.parameters.values()] for run in one])
    assert drawn.shape == (50, 2)
    assert len(np.unique(drawn)) == 100
    assert 0.5 < drawn.min() < 0.51
    assert 0.59 < drawn.max() < 0.6


def test_ids_and_seeds_never_change():
    """Results that are there would be done again if they did. If this is meant: say so in the changelog."""
    first = Study.loads(TEXT).run_at(0)
    assert (first.id, first.seed, first.parameters["restitution"]) == GOLDEN


GOLDEN = ("d1deaf30e2f6b287", 5272222626507320765, 0.9586357488616539)


def test_scenes_and_plans_of_runs():
    one = Study.loads(TEXT)
    run = one.run_at(11)
    scene = scene_of(one, run)
    assert scene == scene_of(one.base, run)
    expected = library.load("gas", count=20, packing_fraction=0.1, seed=run.seed)
    assert scene == expected.replace(restitution=run.parameters["restitution"])
    assert plan_of(one, run).step == 0.1
    one.check()


def test_types():
    assert Study.loads(TEXT).types == {
        "generator.packing_fraction": "float",
        "generator.count": "int",
        "restitution": "float",
        "run.step": "float",
    }


def test_no_run_beyond_the_last():
    for k in (-1, 36):
        with pytest.raises(IndexError):
            Study.loads(TEXT).run_at(k)


def test_a_study_without_parameters_is_one_run():
    one = study()
    assert len(one) == 1
    assert one.run_at(0).parameters == {}


def test_long_studies_are_not_written_out():
    one = study(parameters={"restitution": {"linear": [0.1, 1.0], "count": MAX_RUNS}})
    assert len(one) == MAX_RUNS
    assert one.run_at(MAX_RUNS - 1).parameters == {"restitution": 1.0}


# Files.


def test_text_and_back():
    one = Study.loads(TEXT)
    other = Study.loads(one.dumps())
    assert other == one
    assert other.dumps() == one.dumps()
    assert other.digest == one.digest
    assert [*other] == [*one]


def test_the_order_of_parameters_survives():
    """TOML writers put lists before tables, which would change the order of runs."""
    one = study(
        parameters={"generator.packing_fraction": {"linear": [0.1, 0.2], "count": 2}, "generator.count": [4, 5]}
    )
    assert list(Study.loads(one.dumps()).parameters) == ["generator.packing_fraction", "generator.count"]


@pytest.mark.parametrize("name", [name for name in library.names() if not name.startswith("water")])  # they are large
def test_every_scene_of_the_library_survives(name):
    one = study(scene=name, seed=3)
    other = Study.loads(one.dumps())
    assert other.scene == one.scene
    assert other.digest == one.digest
    if "generator" not in one.scene:
        assert scene_of(other, other.run_at(0)) == library.load(name)


@given(st.floats(-1e100, 1e100), st.lists(st.floats(0.001, 0.999), min_size=1, max_size=4, unique=True))
@settings(max_examples=30, deadline=None)
def test_floats_survive_to_the_bit(place, values):
    scene = Scene(balls=[Ball(position=(place, 0.1 + 0.2))])
    one = study(scene=scene, parameters={"restitution": values})
    other = Study.loads(one.dumps())
    assert [*other] == [*one]
    assert other.scene == one.scene


def test_what_is_nothing_in_a_scene_is_left_out():
    one = study(scene={"generator": {"kind": "gas", "seed": None}, "gravity": None})
    assert one.scene == {"generator": {"kind": "gas"}}
    assert Study.loads(one.dumps()) == one


def test_as_many_parameters_as_there_may_be_are_refused_in_no_time(monkeypatch):
    """The form of a scene is made once, not for each of them."""
    made = []
    gas = library.generators()["gas"]
    form = gas.model_json_schema
    monkeypatch.setattr(gas, "model_json_schema", lambda: made.append(1) or form())
    paths._scene_schema.cache_clear()
    line = refused(parameters={f"generator.a{k}": [1] for k in range(1000)})
    assert line.startswith("parameters.\"generator.a0\": there is no 'a0' in generator")
    assert len(made) == 1


def test_a_scene_file_beside_the_study(tmp_path):
    scene = Scene(boundary=Box(size=(1.0, 1.0)), balls=[Ball(position=(0.5, 0.5), velocity=(1.0, 0.0), radius=0.1)])
    dump(scene, tmp_path / "one.toml")
    (tmp_path / "study.toml").write_text(
        'scene = "one.toml"\nrun = { until = 1.0 }\nparameters = { "balls[0].mass" = [1, 2] }'
    )
    for source in (tmp_path / "study.toml", str(tmp_path)):
        one = Study.load(source)
        assert scene_of(one, one.run_at(1)).balls.mass.tolist() == [2.0]


def test_generators_and_structures_of_files_stay(tmp_path):
    rope = 'structures = [{ kind = "rope", start = [0.0, 2.0], end = [1.0, 2.0], count = 3 }]\n'
    (tmp_path / "rope.toml").write_text(rope)
    (tmp_path / "gas.toml").write_text('[generator]\nkind = "gas"\ncount = 5\n')
    one = study(scene=tmp_path / "rope.toml", parameters={"structures[0].count": [4, 5]})
    assert [len(scene_of(one, run).balls) for run in one] == [4, 5]
    two = study(scene=tmp_path / "gas.toml", parameters={"generator.radius": [0.1]})
    assert two.scene == {"generator": {"kind": "gas", "count": 5}}


@pytest.mark.parametrize("name", ready.names())
def test_ready_studies_are_sound(name):
    one = Study.load(name)
    one.check()
    FORM.validate(tomllib.loads(ready.text(name)))


def test_from_python_with_scenes_arrays_and_observables_of_ones_own():
    one = study(
        scene=Scene(balls=[Ball(position=(0.0, 0.0))]),
        parameters={"balls[0].velocity[0]": np.linspace(0.0, 1.0, 3)},
        observables=[Highest(), {"observable": Highest(), "take": "max"}, "energy"],
    )
    one.check()
    assert [wanted.name for wanted in one.observables] == ["highest", "highest", "energy"]
    assert isinstance(one.observables[0].observable(), Highest)
    assert one.observables[0].observable() is not one.observables[0].own

    again = Study.loads(one.dumps())
    with pytest.raises(StudyError, match=r"observables\[0\]: there is no observable 'highest'.*given again"):
        again.check()
    Study.loads(one.dumps(), observables=[Highest()]).check()
    assert again.digest == one.digest


def test_of_anything():
    one = Study.loads(TEXT)
    assert Study.of(one) is one
    assert Study.of({"scene": "gas", "run": {"until": 1.0}}) == study(run={"until": 1.0})
    assert Study.of("pi") == Study.load("pi")
    with pytest.raises(StudyError, match="3 is not a study"):
        Study.of(3)


def test_a_study_can_be_sent():
    one = Study.loads(TEXT)
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_study_is_light():
    """Reading one loads no compiler, no Dask and no tables."""
    code = (
        "import sys, carom; one = carom.Study.loads(sys.argv[1]); one.run_at(3); one.dumps();"
        "print(sorted({'numba', 'dask', 'distributed', 'pyarrow', 'pandas', 'h5py'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code, TEXT], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout == "[]\n"


# What is refused.


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"parameters": {"generator.cuont": [1]}},
            "parameters.\"generator.cuont\": there is no 'cuont' in generator. Did you mean 'count'?",
        ),
        (
            {"parameters": {"generator.count": []}},
            'parameters."generator.count".values: the range is empty. Give at least one value.',
        ),
        (
            {
                "parameters": {
                    "generator.packing_fraction": {"linear": [0.1, 0.2], "count": 10**6},
                    "restitution": {"linear": [0.1, 0.2], "count": 10**6},
                }
            },
            (
                "parameters: the study has 1,000,000,000,000 runs (1,000,000 × 1,000,000 × 1). "
                "Take fewer values or repeats: at most 10,000,000 runs."
            ),
        ),
        (
            {"parameters": {"generator.packing_fraction": [0.1, 1.5]}},
            (
                'parameters."generator.packing_fraction": 1.5 does not fit: input should be less than 1. '
                "Give what is asked for: share of the box that the balls fill."
            ),
        ),
        (
            {"parameters": {"generator.count": [10.0]}},
            'parameters."generator.count": 10.0 is not a whole number. Write a whole number, such as 3.',
        ),
        (
            {"parameters": {"generator.count": [10**9]}},
            (
                'parameters."generator.count": 1000000000 does not fit: '
                "input should be less than or equal to 10000000. Give what is asked for: number of balls."
            ),
        ),
        (
            {"parameters": {"generator.count": [10, 10]}},
            'parameters."generator.count": 10 is there twice. Name each value once.',
        ),
        (
            {"scene": "break", "parameters": {"balls[0].mass": [1.0], "balls[16].mass": [2.0]}},
            'parameters."balls[16].mass": balls[16] is not there: balls has 16, the last is [15]. Count from 0.',
        ),
        (
            {"scene": "break", "parameters": {"boundary.size[0]": [1.0], "boundary.size": [2.0]}},
            "parameters.\"boundary.size\": names the same as 'boundary.size[0]'. Keep one of them.",
        ),
        (
            {"parameters": {"run.integrator": ["verlet", "velret"]}},
            "parameters.\"run.integrator\": there is no integrator 'velret'. Did you mean 'verlet'?",
        ),
        (
            {"parameters": {"run.step": [-0.1]}},
            'parameters."run.step": -0.1 is not positive. Use a number above 0.',
        ),
        (
            {"parameters": {"run.setp": [0.1]}},
            "parameters.\"run.setp\": a run has no 'setp'. Did you mean 'step'?",
        ),
        (
            {"parameters": {"run.record": [True]}},
            "parameters.\"run.record\": 'record' is the same for all runs. Write it in [run].",
        ),
        (
            {"parameters": {"drag": [0.0, 0.1]}, "run": {"until": 1.0, "solver": "exact"}},
            (
                'parameters."drag": with 0.1, run.solver: the exact solver cannot do this scene: drag. '
                'Use the stepped solver. Or use solver = "auto".'
            ),
        ),
        (
            {"parameters": {"run.settle": [0.5, 1.0]}, "run": {"until": 1.0}},
            'parameters."run.settle": 1 s leaves nothing of a run that ends at 1 s. Use a shorter time.',
        ),
        (
            {"scene": "break", "repeats": 3},
            (
                "repeats: 3 runs of each point would be the same, for nothing in the study is random. "
                "Use repeats = 1, a generator with a seed, or a parameter that is drawn (uniform, normal)."
            ),
        ),
        (
            {"repeats": 3, "parameters": {"generator.seed": [1, 2]}},
            (
                "repeats: 3 runs of each point would be the same, for nothing in the study is random. "
                "Use repeats = 1, a generator with a seed, or a parameter that is drawn (uniform, normal)."
            ),
        ),
        ({"repeats": 0}, "repeats: 0 is not a number of repeats. Use 1 to 10000000."),
        ({"run": {}}, "run: it is not said when a run ends. Add until = … (s) or collisions = …."),
        (
            {"observables": ["enrgy"]},
            (
                "observables[0]: there is no observable 'enrgy'. Did you mean 'energy'? "
                "One of your own is given again, as observables=[…]."
            ),
        ),
        (
            {"observables": ["energy", {"name": "energy"}]},
            "observables[1]: 'energy' is there twice. Keep one of them, or take something else of it.",
        ),
        (
            {"observables": [{"name": "energy", "take": "meen"}]},
            "observables[0].take: 'meen' is not a choice here. Did you mean 'mean'?",
        ),
        ({"observables": [Highest]}, "observables[0]: Highest is a class, not an observable. Write Highest()."),
        ({"zip": [["a"]]}, 'zip[0]: [\'a\'] is not two paths or more. Write groups: zip = [["a", "b"]].'),
        (
            {"zip": [["restitution", "drag"]], "parameters": {"restitution": [0.1]}},
            "zip: 'drag' is not a parameter. Known parameters: restitution.",
        ),
        (
            {"zip": [["restitution", "drag"]], "parameters": {"restitution": [0.1], "drag": [0.1, 0.2]}},
            "zip: the numbers of values differ: 'restitution' has 1, 'drag' has 2. Give each as many values.",
        ),
        (
            {"zip": [["restitution", "drag"]], "parameters": {"restitution": [0.1, 0.1], "drag": [0.2, 0.2]}},
            'parameters."restitution": 0.1 is there twice. Name each value once.',
        ),
        (
            {"zip": [["restitution", "drag"]], "parameters": {"restitution": [0.1], "drag": {"uniform": [0, 1]}}},
            "zip: 'drag' is drawn for each run. Leave it out of zip.",
        ),
        (
            {"parameters": {f"generator.a{k}": [1] for k in range(4000)}},
            "parameters: 4000 parameters are more than 1000. Give fewer.",
        ),
        ({"zip": [["a", "b"]] * 501}, "zip: 1002 paths are more than 1000. Give fewer."),
        (
            {"parameters": {"run.until": [1.0, 1e4], "run.every": [1e-2, 1e-6]}},
            (
                'parameters."run.every": 1e-06 s makes more than 10000000 samples of a run that ends at 10000 s. '
                "Use a longer time, such as 10 s."
            ),
        ),
        (
            {"scene": {"generator": {"kind": "gas"}, "gravity": [None, 1.0]}},
            "scene.gravity[0]: None is not a value of a scene. Use numbers, texts, lists and tables.",
        ),
        ({"scene": "gsa"}, "scene: there is no scene 'gsa' in the library. Did you mean 'gas'?"),
        ({"scene": "none.toml"}, "scene: none.toml: there is no such file. Check the name."),
        ({"scene": 3}, "scene: 3 is not a scene. Name a scene of the library or a file, or write its table."),
        (
            {"scene": {"balls": [{"position": [0, 0], "mass": -1}]}},
            "scene.balls[0].mass: -1 is not positive. Use a number above 0.",
        ),
        (
            {"scene": {"generator": {"kind": "gas", "speed": float("nan")}}},
            "scene.generator.speed: nan is not finite. Write a finite number.",
        ),
        (
            {"plot": {"x": "generator.count", "y": "energy"}},
            "plot.x: 'generator.count' is not a parameter. Add it to [parameters].",
        ),
    ],
)
def test_bad_studies_get_one_clear_line(changes, line):
    assert refused(**changes) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("scene = ", "bad.toml: line 1, column 9: not TOML: Invalid value. Mend the line."),
        (
            'scene = "gas"\nrun = { untl = 1.0 }',
            "bad.toml: run.untl: unknown key (with the value 1.0). Did you mean 'until'?",
        ),
        (
            'scene = "gas"\nparametres = {}',
            "bad.toml: parametres: unknown key (with the value {}). Did you mean 'parameters'?",
        ),
        ('scene = "gas"\nrun = 3', "bad.toml: run: 3 is not a table."),
        (
            "schema = 2\nscene = 'gas'",
            "bad.toml: schema: the file has version 2, and this carom reads up to version 1.",
        ),
        ("x = " + "[" * 100_000, "bad.toml: tables or lists are nested too deeply."),
        ("scene = " + "{a=" * 300 + "1" + "}" * 300, "bad.toml: scene: tables or lists are nested too deeply."),
        (
            'scene = "gas"\nrun = { until = 1.0 }\nparameters = { restitution = [nan] }',
            'bad.toml: parameters."restitution"',
        ),
        ('scene = "gas"\nobservables = [{ name = "energy", own = 3 }]', "bad.toml: observables[0].own: 3 is not"),
    ],
)
def test_bad_files_are_named(text, line):
    with pytest.raises(StudyError) as error:
        Study.loads(text, name="bad.toml")
    assert str(error.value).startswith(line)
    assert "\n" not in str(error.value)


def test_the_file_is_named_by_check_too():
    one = Study.loads('scene = "gas"\nrun = { until = 1.0 }\nparameters = { restitution = [2.0] }', name="bad.toml")
    with pytest.raises(StudyError, match=r'^bad\.toml: parameters\."restitution": 2\.0 is not between 0 and 1'):
        one.check()


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("lyapnov", "there is no file 'lyapnov', and no ready study of this name. Did you mean 'lyapunov'?"),
        ("no/study.toml", "no/study.toml: there is no such file. Check the name."),
        ("a" * 5000, "cannot be read"),
        ("a\0b.toml", "the name is not one a file can have"),
    ],
)
def test_sources_that_are_none(source, line):
    with pytest.raises(StudyError) as error:
        Study.load(source)
    assert line in str(error.value)


def test_large_scenes_are_not_built_to_check_values(monkeypatch):
    built = []
    monkeypatch.setattr(
        "carom.sweeps.study.checks.scene_of", lambda base, spec: built.append(spec.parameters) or library.load("break")
    )
    study(parameters={"generator.count": [10, 100_000, 100_001, 10**7]}).check()
    assert [values["generator.count"] for values in built] == [10, 100_000]


def test_few_scenes_are_built_to_check_values(monkeypatch):
    built = []
    monkeypatch.setattr(
        "carom.sweeps.study.checks.scene_of", lambda base, spec: built.append(spec.parameters) or library.load("break")
    )
    spaced = {"linear": [0.1, 0.2], "count": 2000}
    study(parameters={"generator.packing_fraction": spaced, "restitution": spaced}).check()
    assert 100 < len(built) <= 200
    assert {"generator.packing_fraction": 0.2, "restitution": 0.2} in built


def test_a_study_stays_as_it_is():
    one = study()
    with pytest.raises(carom.SceneError, match="seed: cannot be changed in place"):
        one.seed = 3
    assert one.replace(seed=3).seed == 3
    assert one.seed == 0


# What has changed.


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, []),
        ({"repeats": 3}, ["repeats: 2 became 3"]),
        ({"seed": 5, "name": "new"}, ["name: 'Equation of state' became 'new'", "seed: 1 became 5"]),
        (
            {"run": {"until": 2.0, "every": 0.1, "settle": 0.5}},
            ["run.until: 1.0 became 2.0", "run.settle: new, 0.5"],
        ),
        ({"scene": {"generator": {"kind": "gas", "mass": 2.0}}}, ["scene: generator.mass: new, 2.0"]),
        ({"observables": ["compressibility"]}, ["observables: removed, energy (drift)"]),
        (
            {"parameters": {"generator.count": [10], "generator.packing_fraction": [0.1], "drag": [0.0]}},
            [
                'parameters."generator.packing_fraction": { linear = [0.1, 0.3], count = 3 } became { values = [0.1] }',
                'parameters."generator.count": { values = [10, 20] } became { values = [10] }',
                'parameters."restitution": removed, was { uniform = [0.9, 1.0] }',
                'parameters."run.step": removed, was { log = [0.001, 0.1], count = 3 }',
                'parameters."drag": new, { values = [0.0] }',
            ],
        ),
    ],
)
def test_what_changed_is_told(changes, lines):
    before = Study.loads(TEXT)
    assert before.replace(**changes).changes(before) == lines


def test_long_changes_are_cut():
    before = study(scene=Scene(balls=[Ball(position=(k, 0.0)) for k in range(50)]))
    after = study(scene=Scene(balls=[Ball(position=(k, 1.0)) for k in range(50)]))
    told = after.changes(before)
    assert told[0] == "scene: balls[0].position[1]: 0.0 became 1.0"
    assert told[-1] == "... and 30 more"


# The JSON Schema.


def test_the_schema_is_one_and_fits():
    jsonschema.Draft202012Validator.check_schema(schema())
    FORM.validate(tomllib.loads(TEXT))
    FORM.validate(tomllib.loads(Study.loads(TEXT).dumps()))
    assert json.loads(json.dumps(schema())) == schema()


@pytest.mark.parametrize(
    "changes",
    [
        {"parametres": {}},
        {"repeats": 0},
        {"run": {"untl": 1.0}},
        {"observables": [{"take": "mean"}]},
        {"parameters": {"a": {"linear": [0, 1], "many": 3}}},
        {"scene": {"bals": []}},
    ],
)
def test_the_schema_refuses(changes):
    with pytest.raises(jsonschema.ValidationError):
        FORM.validate({**tomllib.loads(TEXT), **changes})
