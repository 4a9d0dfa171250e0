"""The games there are, by name. A game is imported when somebody asks for it."""

from functools import cache
from pkgutil import resolve_name

from games.game import AnyGame

GAMES = {"tichu": "games.tichu.game:Tichu"}
DEFAULT = "tichu"


@cache
def get(name: str) -> AnyGame:
    """The game of that name.

    :raises KeyError: there is none.
    """
    game: AnyGame = resolve_name(GAMES[name])()
    return game
