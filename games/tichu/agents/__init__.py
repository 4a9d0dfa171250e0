"""Programs that play Tichu, by the names under which a table offers them."""

from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent

AGENTS: dict[str, type[TichuAgent]] = {"random": RandomAgent}
DEFAULT_AGENT = "random"
