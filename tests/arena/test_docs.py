"""What docs/arena.md says, done."""

import io
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command, load_command_class

from arena.models import Rating
from arena.reporting import Panel, Report
from arena.teams import parse_team
from arena.trajectories import DECISIONS, MOVE, ROUND
from tests.server import ROOT

DOCS = (ROOT / "docs" / "arena.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)


def commands(block: str) -> list[list[str]]:
    """The arguments of manage.py."""
    return [words[2:] for line in block.splitlines() if (words := shlex.split(line, comments=True))[:1] == ["python"]]


AGENT = next(block for block in blocks("python") if "class LowAgent" in block)
COMMANDS = commands(next(block for block in blocks("sh") if "my_agents" in block))
READING = [block for block in blocks("python") if "arena.trajectories" in block]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current directory with the agent of the documentation."""
    (tmp_path / "my_agents.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("my_agents", None)


def done(*arguments: str) -> str:
    """What a command prints; it must end with exit status 0."""
    printed = io.StringIO()
    call_command(*arguments, stdout=printed, stderr=io.StringIO())
    return printed.getvalue()


def test_the_agent_is_a_runnable_example_of_40_lines() -> None:
    """Issue 3, 5."""
    assert len(AGENT.splitlines()) <= 40


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_agent_is_written_registered_seen_on_the_ladder_and_its_rounds_are_read(here: Path) -> None:
    """Issue 3, 5: the commands and the programs of sections 7 and 8 as they stand there."""
    (run, rate) = COMMANDS
    assert done(*run).startswith("my_agents.LowAgent against random\n1,000 rounds")
    ladder = done(*rate)
    assert "my_agents.LowAgent:saves_bombs=false" in ladder
    rated = {rating.version.text: rating.elo for rating in Rating.objects.select_related("version")}
    assert rated["my_agents.LowAgent"] > rated["random"] == 0
    printed = io.StringIO()
    with redirect_stdout(printed):
        for program in READING:
            exec(compile(program, "docs/arena.md", "exec"), {})
    assert "\ndeal\n" in printed.getvalue()
    assert "('my_agents.LowAgent', 'random')" in printed.getvalue()


@pytest.mark.parametrize("module", ["arena.batch", "arena.env"])
def test_learners_are_shown_how_to_begin(module: str) -> None:
    """Section 10; the shapes are those that are told there."""
    (program,) = (block for block in blocks("python") if module.replace(".env", " import env") in block)
    names: dict[str, Any] = {}
    exec(compile(program, "docs/arena.md", "exec"), names)
    if module == "arena.batch":
        assert (names["seen"].shape, names["legal"].shape) == ((1024, 18), (1024, 25))
        assert names["batch"].rounds > 0
    else:
        assert names["observation"]["observation"].shape == (1099,)
        assert names["observation"]["action_mask"].shape == (1584,)


def test_an_entry_point_gives_it_a_name(here: Path) -> None:
    """As an installer writes it from the project's pyproject.toml."""
    (entry,) = re.findall(r'^low = "(.*)"$', "\n".join(blocks("toml")), re.MULTILINE)
    package = here / "my_agents-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: my-agents\nVersion: 1\n")
    (package / "entry_points.txt").write_text(f"[tichu.agents]\nlow = {entry}\n")
    sys.path.append(str(here))
    agent = parse_team("low").agents[0].agent_class
    assert (agent.__module__, agent.__name__) == ("my_agents", "LowAgent")


@pytest.mark.parametrize("command", ["run_arena", "rate_agents"])
def test_every_option_is_told(command: str) -> None:
    parser = load_command_class("arena", command).create_parser("manage.py", command)
    usual = load_command_class("django.core", "check").create_parser("manage.py", "check")
    options = {*parser._option_string_actions} - {*usual._option_string_actions}
    assert {option for option in options if option not in DOCS} == set()


def test_every_command_can_be_read() -> None:
    """A wrong option would end it."""
    told = [arguments for block in blocks("sh") for arguments in commands(block)]
    assert len(told) >= 7
    for name, *arguments in told:
        load_command_class("arena", name).create_parser("manage.py", name).parse_args(arguments)


def test_every_key_of_the_report_is_told() -> None:
    keys = {field.name for kind in (Report, Panel) for field in msgspec.structs.fields(kind)}
    assert {key for key in keys if f"`{key}`" not in DOCS} == set()


def test_every_column_of_a_recording_is_told() -> None:
    names = {*(ROUND.names or ()), *(MOVE.names or ()), *DECISIONS}
    assert {name for name in names if f"`{name}`" not in DOCS} == set()
