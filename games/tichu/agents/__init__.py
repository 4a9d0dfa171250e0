"""Programs that play Tichu, by their names: AGENTS, which a table offers; NETWORKS, which need a file of weights."""

from pathlib import Path

from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.mixed import MixedAgent
from games.tichu.agents.nnet import SHIPPED_POLICY, BehaviorAgent, NNetAgent, PolicyAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent

AGENTS: dict[str, type[TichuAgent]] = {"RuleAgent": RuleAgent, "MixedAgent": MixedAgent, "RandomAgent": RandomAgent}
if Path(SHIPPED_POLICY).is_file():
    AGENTS["PolicyAgent"] = PolicyAgent
DEFAULT_AGENT = "RuleAgent"
NETWORKS: dict[str, type[NNetAgent]] = {"PolicyAgent": PolicyAgent, "BehaviorAgent": BehaviorAgent}
