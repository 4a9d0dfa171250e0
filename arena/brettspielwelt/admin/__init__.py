"""Games of the Brettspielwelt in the admin: who played, what the logs say, what is wrong with them.

    file ──Import logs…──▶ importing ──▶ games ──▶ a game, its rounds ──▶ replay

Nothing can be changed here; games can be deleted. There may be millions of games and ten times as many rounds, so no
list counts all of its rows: what is behind the first ``MOST_LISTED`` is found by filters and search, and where many
rows are meant no query looks for all of them.

* ``games.py``: the lists of games and of rounds, the page of a game.
* ``players.py``: the list of players, and the page of what people do.
* ``filters.py``: what the lists are filtered by, and who played in what.
* ``uploads.py``: what is imported here.
* ``lists.py``: what all lists have in common.
"""

from arena.brettspielwelt.admin import games, players

__all__ = ["games", "players"]
