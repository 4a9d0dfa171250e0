"""What docs/brettspielwelt.md says, done."""

import re
import shlex
from itertools import zip_longest
from pathlib import Path

import msgspec
import numpy as np
import pytest
from django.core.management import call_command, find_commands, load_command_class

import arena.brettspielwelt
from arena.brettspielwelt import elo
from arena.brettspielwelt.counting import Bombs
from arena.brettspielwelt.download import URL
from arena.brettspielwelt.exporting import ExportedRound
from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.importing import Count, Summary, import_logs
from arena.brettspielwelt.models import Game
from arena.brettspielwelt.statistics import (
    Expected,
    Found,
    Gift,
    Gifts,
    Hands,
    Rated,
    Ratings,
    Seat,
    Spread,
    Standing,
    Statistics,
    Stock,
)
from arena.reporting import Calls
from arena.trajectories import MOVE, ROUND
from tests.server import ROOT

DOCS = (ROOT / "docs" / "brettspielwelt.md").read_text(encoding="utf-8")
APP = "arena.brettspielwelt"
COMMANDS = find_commands(f"{arena.brettspielwelt.__path__[0]}/management")


def told() -> list[list[str]]:
    """The arguments of manage.py in all examples."""
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", DOCS, re.DOTALL)).splitlines()
    return [words[2:] for line in lines if (words := shlex.split(line, comments=True))[:1] == ["python"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_told(command: str) -> None:
    parser = load_command_class(APP, command).create_parser("manage.py", command)
    usual = load_command_class("django.core", "check").create_parser("manage.py", "check")
    options = {*parser._option_string_actions} - {*usual._option_string_actions}
    assert {option for option in options if option not in DOCS} == set()


def test_every_command_has_an_example_that_can_be_read() -> None:
    """A wrong option would end it."""
    assert {name for name, *_ in told()} == {*COMMANDS}
    for name, *arguments in told():
        load_command_class(APP, name).create_parser("manage.py", name).parse_args(arguments)


def test_every_finding_is_told_in_the_order_of_the_codes() -> None:
    table = DOCS[DOCS.index("| code |") :].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [code.value for code in Code]


@pytest.mark.parametrize(
    "kinds",
    [
        (Summary, Count),
        (Statistics, Calls, Bombs, Seat, Gifts, Gift, Hands, Stock, Found),
        (Ratings, Rated, Expected, Standing, Spread),
        (ExportedRound, Finding),
    ],
)
def test_every_key_is_told(kinds: tuple[type[msgspec.Struct], ...]) -> None:
    """Of the summary of an import, of the statistics and of what is exported."""
    keys = {field.name for kind in kinds for field in msgspec.structs.fields(kind)}
    assert {key for key in keys if f"`{key}`" not in DOCS} == set()


@pytest.mark.parametrize(("array", "rows"), [("rounds_*", ROUND), ("moves_*", MOVE)])
def test_every_column_is_told(array: str, rows: np.dtype) -> None:
    """With its type."""
    table = DOCS[DOCS.index(f"| `{array}` |") :].split("\n\n")[0]
    told = {
        name: kind
        for names, kinds in re.findall(r"^\| (`\w.*?) \| (\w.*?) \|", table, re.MULTILINE)
        for name, kind in zip_longest(names.split(", "), kinds.split(", "), fillvalue=kinds.split(", ")[-1])
    }
    columns = [(name, rows[name]) for name in rows.names or ()]
    types = {"<i8": "int64", "<i4": "int32", "<i2": "int16", "|u1": "uint8"}
    assert told == {
        f"`{name}`": types[kind.base.str] + "".join(f"[{length}]" for length in kind.shape) for name, kind in columns
    }


@pytest.mark.django_db
def test_the_examples_read_what_was_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_logs([ROOT / "tests" / "data" / "bsw" / "900001.tch"])
    monkeypatch.chdir(tmp_path)
    for name, *arguments in told():
        if name == "bw_export":
            call_command(name, *(word for word in arguments if not word.startswith(("--from", "--to", "2007"))))
    examples = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(example, {})


def test_the_server_is_told() -> None:
    assert f"`{URL}`" in DOCS


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_sample_games_are_imported_as_the_first_example_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name, path = told()[0]
    call_command(name, path, "--workers", "0")
    assert Game.objects.count() == 13


def test_the_constants_of_elo_are_told() -> None:
    section = DOCS[DOCS.index("## 6 Players and Elo") :].split("\n## ")[0]
    constants = (elo.START, elo.DIVISOR, elo.K_NEWCOMER, elo.K, elo.K_MASTER, elo.NEWCOMER_GAMES, elo.MASTER)
    assert {f"{constant:g}" for constant in constants} <= {*re.findall(r"\d+(?:\.\d+)?", section)}
