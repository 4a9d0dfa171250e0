"""Games by name."""

import subprocess
import sys

import pytest

from games import registry
from games.game import IllegalAction, change_options


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_game_knows_its_name_and_can_start(name):
    game = registry.get(name)
    state = game.start(game.options())
    assert game.name == name
    assert game.default_agent in game.agents
    assert game.pause(state) is not None
    assert game.result(state) is None


def test_an_unknown_game_is_no_game():
    with pytest.raises(KeyError):
        registry.get("chess")


def test_a_game_is_imported_when_somebody_asks_for_it():
    script = "import sys; from games import registry; print('games.tichu.game' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_options_change_one_by_one():
    options = change_options(registry.get("tichu").options(), {"rules": "pocket"})
    options = change_options(options, {"target_score": 500, "turn_limit_s": 60})
    assert (options.rules, options.target_score) == ("pocket", 500)


@pytest.mark.parametrize(
    "changes",
    [{"rules": "poker"}, {"rules": None}, {"target_score": 99}, {"target_score": 10001}, {"target_score": True}],
)
def test_an_option_must_have_one_of_its_values(changes):
    with pytest.raises(IllegalAction, match="INVALID_MESSAGE"):
        change_options(registry.get("tichu").options(), changes)
