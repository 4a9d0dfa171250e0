"""Runs and the ladder in the admin: what was asked, what came of it, who is how strong.

Commands make all of it and nothing can be changed here. Whoever may change runs may have them played again and stopped.

* ``runs.py``: the list of runs, the page of one, and what can be done with them.
* ``report.py``: what both say about a run.
* ``exports.py``: runs as CSV and as JSON.
* ``ladder.py``: agents, their ratings, the cross table.
"""

from arena.admin import ladder, runs

__all__ = ["ladder", "runs"]
