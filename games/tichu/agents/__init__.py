"""Programs that play Tichu, by the names under which a table offers them."""

from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent

AGENTS: dict[str, type[TichuAgent]] = {"RuleAgent": RuleAgent, "RandomAgent": RandomAgent}
DEFAULT_AGENT = "RuleAgent"
