"""How a policy is trained by self-play: sizes, who sits at how many tables, rates."""

from typing import NamedTuple

from arena.learning.size import Size

MUTE = 60  # iterations in which only a new critic learns, when a policy goes on without its own


class Others(NamedTuple):
    """At which shares of some tables others sit, too: older selves, and ``RuleAgent``."""

    old: float = 0.0
    rule: float = 0.0


class Plan(NamedTuple):
    """How is trained.

    Each pair of numbers is where something begins and where it ends when all the time is over.

    :ivar quiet: the share of the tables at which nobody calls.
    :ivar others: who else sits where somebody may call; ``quiet_others``: where nobody does.
    :ivar rate: of learning, at its highest.
    :ivar entropy: what an evenly spread choice is worth; ``coin``: the share of the calls that are tossed for.
    :ivar memory: of the average of the policy's weights, which is what plays in the end: it reaches back over some
        hundred steps, and no further, as the last ones, with the lowest rate of learning, bring most.
    :ivar mute: iterations in which only the critic learns: one that knows nothing would spoil a policy that knows much.
    """

    policy: Size
    critic: Size
    tables: int
    steps: int = 32
    minibatch: int = 4096
    epochs: int = 2
    others: Others = Others()
    quiet: float = 0.3
    quiet_others: Others = Others()
    rate: float = 1e-3
    entropy: tuple[float, float] = (0.015, 0.003)
    coin: tuple[float, float] = (0.06, 0.01)
    memory: float = 0.99
    mute: int = 0


def plan_for(device: str, size: Size, goes_on: bool) -> Plan:
    """How is trained on a device. A larger policy is trained for longer, with more tables at a time.

    :param device: "cpu" or "cuda"; a GPU is worth its while with many tables only.
    :param goes_on: whether the policy has learned something before.
    """
    # The policy learns from lists of answers, and takes twice as long as a critic of its size, which learns beside it.
    critic = Size(size.width * 3 // 2, size.blocks)
    plan = Plan(size, critic, tables=4 * size.width, minibatch=8 * size.width)
    if device == "cuda":
        plan = plan._replace(critic=size, tables=32768, minibatch=32768, rate=5e-4)
    if goes_on:
        plan = plan._replace(rate=0.6 * plan.rate, entropy=(0.006, 0.001), coin=(0.03, 0.01))
    return plan
