"""Teams as text, and the agents they name."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import teams
from arena.teams import AgentSpec, Team, UnknownAgent, parse_team
from games.tichu.agents.nnet import PolicyAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from tests.arena.examples import check_examples
from tests.games.tichu.agents.nets import random_weights

OWN_AGENT = """
from games.tichu.agents.random import RandomAgent
from own_helper import DEPTH

class OwnAgent(RandomAgent):
    def __init__(self, name, rng=None, *, depth=DEPTH, weights=""):
        if depth < 0:
            raise ValueError("depth is not negative")
        super().__init__(name, rng)
        self.depth = depth
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, with an agent of somebody's own in it."""
    (tmp_path / "own_agent.py").write_text(OWN_AGENT)
    (tmp_path / "own_helper.py").write_text("DEPTH = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for module in ("own_agent", "own_helper"):
        sys.modules.pop(module, None)


def agent(text: str) -> AgentSpec:
    return parse_team(text).agents[0]


# --- text -------------------------------------------------------------------------------------------------------------


def test_one_agent_is_both_partners() -> None:
    assert parse_team("rule") == Team((AgentSpec("rule"), AgentSpec("rule")))


def test_a_plus_parts_unlike_partners() -> None:
    assert parse_team("rule+random:calls=false").agents == (
        AgentSpec("rule"),
        AgentSpec("random", (("calls", False),)),
    )


def test_values_are_numbers_truth_values_or_strings() -> None:
    options = dict(agent("x:i=-3,f=0.5,t=true,s=a/b.npz,n=nan").options)
    assert options == {"i": -3, "f": 0.5, "t": True, "s": "a/b.npz", "n": "nan"}
    assert type(options["i"]) is int


def test_the_limit_is_the_arenas_not_the_agents() -> None:
    assert agent("random:limit=0.5,calls=false") == AgentSpec("random", (("calls", False),), 0.5)


def test_a_decision_may_take_30_seconds_if_nothing_is_said() -> None:
    assert agent("rule").limit == 30


def test_the_text_says_the_same_however_it_was_written() -> None:
    assert parse_team("x: b = 2 ,a=1.50,limit=30+x:a=1.5,b=2").text == "x:a=1.5,b=2"
    assert agent("x:m=1,limit=5.0").options_text == "limit=5,m=1"


values = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text("abc/."))
specs = st.builds(
    AgentSpec,
    st.text("abc.", min_size=1),
    st.dictionaries(st.text("abc", min_size=1), values).map(lambda options: tuple(sorted(options.items()))),
    st.floats(min_value=0, exclude_min=True, max_value=teams.A_DAY),
)


@given(st.builds(Team, st.tuples(specs, specs)))
def test_a_team_reads_its_own_text(team: Team) -> None:
    assert parse_team(team.text) == team


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "an agent is missing; there are behavior, mixed, policy, random, rule"),
        ("rule+", "an agent is missing"),
        ("a+b+c", "one or two agents, 'a.b.c' names 3"),
        ("rule:", "key=value, not ''"),
        ("rule:depth", "key=value, not 'depth'"),
        ("rule:a=1,a=2", "a is there twice"),
        ("rule:limit=0", "limit is seconds, more than 0"),
        ("rule:limit=-1", "limit is seconds"),
        ("rule:limit=86401", "at most a day"),
        ("rule:limit=inf", "limit is seconds"),
        ("rule:limit=soon", "limit is seconds"),
        ("rule:limit=true", "limit is seconds"),
    ],
)
def test_what_is_no_team_is_refused_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(UnknownAgent, match=says):
        parse_team(text)


# --- agents -----------------------------------------------------------------------------------------------------------


def test_built_in_agents_go_by_short_names() -> None:
    assert agent("rule").agent_class is RuleAgent
    assert agent("random").agent_class is RandomAgent


def test_an_agent_gets_its_options_and_its_chance() -> None:
    rng = Random(1)
    made = agent("random:calls=false").create(rng)
    assert isinstance(made, RandomAgent)
    assert made.rng is rng
    assert not made.calls


def test_an_agent_may_lie_in_the_current_directory(directory: Path) -> None:
    made = agent("own_agent.OwnAgent:depth=7").create(Random())
    assert vars(made)["depth"] == 7


def test_an_agent_may_be_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("clever", "games.tichu.agents.rule:RuleAgent", teams.ENTRY_POINTS)
    monkeypatch.setattr(teams, "entry_points", lambda **wanted: EntryPoints([entry]).select(**wanted))
    assert agent("clever").agent_class is RuleAgent
    with pytest.raises(UnknownAgent, match="there are behavior, clever, mixed, policy, random, rule"):
        agent("cleverer").create(Random())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "nobody",
            "no agent nobody; there are behavior, mixed, policy, random, rule, and classes by their dotted path",
        ),
        ("random:clals=true", "random has no option clals; it takes calls, limit"),
        ("random:rng=1", "random has no option rng"),
        ("no.such.Agent", "no.such.Agent cannot be imported: ModuleNotFoundError: No module named 'no'"),
        ("os.path.Agent", "os.path.Agent cannot be imported: AttributeError"),
        ("os.path", "os.path is no TichuAgent"),
        ("random.Random", "random.Random is no TichuAgent"),
        ("games.tichu.agents.agent.TichuAgent", "lacks announce, bomb, choose_dragon_recipient, play, schupf, wish"),
        ("behavior", "behavior cannot be made: ValueError: it needs the weights of a network: file=FILE"),
        ("policy:file=no.npz", r"policy:file=no.npz cannot be made: FileNotFoundError: .*no\.npz"),
        (
            "policy:file=own_agent.py",
            r"ValueError: .*own_agent\.py holds no weights .*: it is none of numpy's archives",
        ),
        ("policy:net=no.npz", "policy has no option net; it takes file, temperature, limit"),
        ("own_agent.OwnAgent:depth=-1", "cannot be made: ValueError: depth is not negative"),
        ("broken_agent.Agent", "broken_agent.Agent cannot be imported: ZeroDivisionError"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused_with_a_reason(directory: Path, text: str, says: str) -> None:
    (directory / "broken_agent.py").write_text("1 / 0\n")
    with pytest.raises(UnknownAgent, match=says):
        agent(text).create(Random())


# --- checksum ---------------------------------------------------------------------------------------------------------


def test_agents_with_other_code_have_another_checksum() -> None:
    assert agent("rule").checksum() == agent("rule").checksum() != agent("random").checksum()


def test_the_code_of_an_agent_is_its_module_and_what_that_takes_from_its_package() -> None:
    files: set[Path] = set()
    module = sys.modules[RuleAgent.__module__]
    teams._follow(Path(str(module.__file__)), str(module.__package__), files)
    assert {"rule.py", "agent.py", "outlook.py"} <= {file.name for file in files}
    assert not {"random.py", "cards.py"} & {file.name for file in files}


def test_the_checksum_changes_with_what_the_agent_imports(directory: Path) -> None:
    before = agent("own_agent.OwnAgent").checksum()
    (directory / "own_helper.py").write_text("DEPTH = 2\n")
    assert agent("own_agent.OwnAgent").checksum() != before


def test_the_checksum_changes_with_a_file_that_an_option_names(directory: Path) -> None:
    weights = directory / "weights.npz"
    weights.write_bytes(b"1")
    before = agent("own_agent.OwnAgent:weights=weights.npz").checksum()
    weights.write_bytes(b"2")
    assert agent("own_agent.OwnAgent:weights=weights.npz").checksum() != before


def test_the_checksum_changes_with_a_file_that_an_option_names_by_default(directory: Path) -> None:
    source = (directory / "own_agent.py").read_text()
    (directory / "own_agent.py").write_text(source.replace('weights=""', 'weights="weights.npz"'))
    without = agent("own_agent.OwnAgent").checksum()
    (directory / "weights.npz").write_bytes(b"1")
    assert (
        len({without, agent("own_agent.OwnAgent").checksum(), agent("own_agent.OwnAgent:weights=none").checksum()}) == 2
    )


def test_networks_with_other_weights_are_other_versions(directory: Path) -> None:
    checksums = []
    for seed in range(2):
        random_weights(seed=seed).save("net.npz")
        made = agent("policy:file=net.npz,temperature=0.5").create(Random())
        assert isinstance(made, PolicyAgent)
        assert (made.weights.sheet["seed"], made.temperature) == (seed, 0.5)
        checksums.append(agent("policy:file=net.npz").checksum())
    assert checksums[0] != checksums[1]


def test_imports_are_followed_into_packages_and_relative_ones_too(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    sources = {
        "start.py": "from .deep import inner\nimport numpy",
        "deep/__init__.py": "",
        "deep/inner.py": "from .. import aside",
        "aside.py": "def later():\n    import pack.lazy",
        "lazy.py": "",
        "stranger.py": "",
    }
    for name, source in sources.items():
        (tmp_path / name).write_text(source)
    files: set[Path] = set()
    teams._follow(tmp_path / "start.py", "pack", files)
    assert {str(file.relative_to(tmp_path)) for file in files} == {*sources} - {"stranger.py"}


def test_examples() -> None:
    check_examples(teams)
