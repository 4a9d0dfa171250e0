"""``manage.py train_agent selfplay``: a policy learns from what it plays against itself."""

import re
import sys
from contextlib import redirect_stdout
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser
from msgspec import to_builtins

from arena.console import Interruption, LongCommand, Progress
from arena.learning.folder import CRITIC, POLICY, Folder, Line, TrainingError, saved_in
from arena.learning.management.sitting import (
    add_common,
    check_common,
    clear_errors,
    facts_of,
    is_minutes,
    recorded,
    size_of,
    torch_on,
)
from arena.learning.plan import MUTE, Others, plan_for

if TYPE_CHECKING:
    from arena.learning.training import Budget, Sheet

HELP = "Trains a policy by the rounds that it plays against itself, from nothing or from what it knows already."
EPILOG = """
FOLDER then holds policy.npz, which plays (agent policy:file=FOLDER/policy.npz), actor.npz and critic.npz, from which a
training goes on, and log.jsonl. Ctrl-C or the end of the time saves them. At the end the policy is measured, which
takes a minute or more beyond the time.

examples:
  manage.py train_agent selfplay --out data/first
  manage.py train_agent selfplay --minutes 20 --out data/laptop
  manage.py train_agent selfplay --init data/first --out data/first         goes on there
  manage.py train_agent selfplay --init data/first --out data/second        goes on elsewhere
  manage.py train_agent selfplay --device cuda --net 1024x3 --no-save --out data/large
  manage.py train_agent selfplay --rounds 20000 --seed 1 --device cpu --out data/again    the same each time

exit status:
  0    the time is over; all is saved and measured
  1    it could not be trained; one line says why
  130  interrupted (143: by SIGTERM); what was learned is saved
"""
MINUTES = 10.0
NET = "128x2"
OPPONENTS = "self,old:0.1,rule:0.2"
QUIET = 0.3
SAY_S = 30.0  # between two lines about how it goes


def add_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help=f"how long (default: {MINUTES:g})")
    length.add_argument("--rounds", type=int, help="instead: until so many are played")
    add("--init", metavar="FOLDER|FILE", type=Path, help="go on with the training there, more gently than one begins")
    add("--net", metavar="WIDTHxBLOCKS", help=f"size of the policy, like 128x2 or 1024x3 (default: {NET})")
    add(
        "--opponents",
        default=OPPONENTS,
        help="self; or self,old:SHARE,rule:SHARE, with older selves among the players at one share of the tables, and "
        "RuleAgent at another one (default: %(default)s)",
    )
    add(
        "--quiet",
        metavar="SHARE",
        type=float,
        default=QUIET,
        help="of the tables, at which nobody calls: play is learned there with less noise (default: %(default)g)",
    )
    add(
        "--quiet-opponents",
        metavar="OPPONENTS",
        help="who sits there, written like --opponents, which then means the other tables only",
    )
    add(
        "--measure",
        metavar="MINUTES",
        type=float,
        default=2.0,
        help="between two measurements of its strength; 0: none, not even at the end (default: %(default)g)",
    )
    add_common(add)


def run(command: LongCommand, **options: Any) -> None:
    check_common(**options)
    seated = check(**options)
    with clear_errors(), redirect_stdout(sys.stderr), Interruption() as interruption:
        sheet = train(command, interruption, seated, **options)
    command.stdout.write(text(sheet, options["out"]))
    for kind, calls in sheet.calls.items():
        for fault in calls.faults:
            command.say(f"WARNING: {NAMES[kind]} {fault}")
    if interruption.status:
        command.say(f"Interrupted. It goes on with: manage.py train_agent selfplay --init {options['out']} --out ...")
        sys.exit(interruption.status)


def check(
    *,
    minutes: float | None,
    rounds: int | None,
    measure: float,
    opponents: str,
    quiet: float,
    quiet_opponents: str | None,
    **options: Any,
) -> dict[str, Any]:
    """
    :result: who sits at the tables: fields of :class:`arena.learning.plan.Plan`.
    :raises CommandError: one of the options is wrong.
    """
    if minutes is not None and not (is_minutes(minutes) and minutes > 0):
        raise CommandError(f"--minutes must be more than 0, not {minutes:g}.")
    if rounds is not None and rounds < 1:
        raise CommandError(f"--rounds must be at least 1, not {rounds}.")
    if not is_minutes(measure):
        raise CommandError(f"--measure must be at least 0 minutes, not {measure:g}.")
    if not 0 <= quiet <= 1:
        raise CommandError(f"--quiet must be 0 to 1, not {quiet:g}.")
    others = shares("--opponents", opponents)
    if quiet_opponents is not None and not quiet:
        raise CommandError("--quiet-opponents sit where nobody calls, and with --quiet 0 that is nowhere.")
    quiet_others = others if quiet_opponents is None else shares("--quiet-opponents", quiet_opponents)
    return {"others": others, "quiet": quiet, "quiet_others": quiet_others}


def shares(option: str, value: str) -> Others:
    """
    :raises CommandError: that is not what the option says.
    """
    found = re.fullmatch(r"self(?:,old:([0-9.]+))?(?:,rule:([0-9.]+))?", value)
    try:
        old, rule = (float(share or 0) for share in found.groups()) if found else (inf, inf)
    except ValueError:
        old = rule = inf
    if old + rule > 1:
        raise CommandError(
            f"{option} must be self, or self,old:SHARE,rule:SHARE with one of the two or both, whose shares are at "
            f"most 1 together, not {value!r}."
        )
    return Others(old, rule)


def train(
    command: LongCommand,
    interruption: Interruption,
    seated: dict[str, Any],
    *,
    minutes: float | None,
    rounds: int | None,
    init: Path | None,
    net: str | None,
    measure: float,
    out: Path,
    device: str,
    threads: int,
    seed: int | None,
    name: str | None,
    save: bool,
    **options: Any,
) -> "Sheet":
    """
    :raises TrainingError, CommandError: it cannot be trained.
    """
    on = torch_on(device, threads)
    import torch

    from arena.learning.nets import Critic, Policy
    from arena.learning.selfplay import Selfplay
    from arena.learning.training import Budget, Training, begun_in, restored

    facts = facts_of("selfplay", on, threads, seed)
    begun = begun_in(init) if init else None
    before = begun.sheet if begun else {}
    # No piece has the deals of another. Each thread has a batch of tables, whose seed has 30 bits.
    luck = Random(f"{facts['seed']} {len(before.get('pieces', []))}").randrange(2**30 // threads)
    torch.manual_seed(luck)
    size = size_of(net or (str(begun.policy.size) if begun else NET))
    if begun and begun.policy.size != size:
        raise CommandError(f"--net {size}: {init} is {begun.policy.size}, and goes on as such.")
    policy = begun.policy if begun else Policy(size)
    average = begun.average.to(on) if begun else None
    home = (init if init.is_dir() else init.parent) if init else None
    plan = plan_for(on.type, size, goes_on=begun is not None)._replace(**seated)
    if home and (home / CRITIC).exists():
        try:
            critic = restored(saved_in(home / CRITIC), Critic)
        except TrainingError as error:
            raise TrainingError(f"{home / CRITIC}: {error}; without it a new critic learns first") from error
        plan = plan._replace(critic=critic.size)
    else:
        critic = Critic(plan.critic)
        if home:
            command.say(f"There is no {home / CRITIC}: a new critic learns first, for {MUTE} iterations.")
            plan = plan._replace(mute=MUTE)
    folder = Folder(out, goes_on=home is not None and out.exists() and home.samefile(out))
    if home and not folder.lines():
        folder.follow(home)
    budget = Budget(minutes, rounds) if rounds is not None else Budget(minutes or MINUTES)
    display = Display(budget, command)
    with recorded(folder, facts, interruption, command.say, save=save, name=name) as pulse, display.progress:
        folder.listeners.append(display.hear)
        command.say(
            f"{out}: {size} on {facts['device']}, {threads} threads, seed {facts['seed']}"
            + (f", {before.get('rounds', 0):,} rounds learned already" if begun else "")
        )

        def show(fraction: float) -> bool:
            display.show(fraction)
            return pulse()

        selfplay = Selfplay(plan, policy.to(on), critic.to(on), luck, threads, average)
        return Training(selfplay, budget, folder, facts, before, measure, show).run()


# --- what is said -----------------------------------------------------------------------------------------------------

NAMES = {"tichu": "Tichu", "grand": "grand Tichu"}


class Display:
    """Shows how far a training is, and how it goes."""

    def __init__(self, budget: "Budget", command: LongCommand) -> None:
        if budget.minutes is not None:
            self._total, unit = round(60 * budget.minutes), "seconds"
        else:
            self._total, unit = budget.rounds or 1, "rounds"
        self.progress = Progress(unit, command.say, pause=SAY_S)
        self._is_bar = sys.stderr.isatty()
        self._said = monotonic()
        self._remark = ""
        self._is_over = False

    def show(self, fraction: float) -> None:
        """
        :param fraction: 0..1, how much of it is over.
        """
        if not self._is_over:
            self.progress(int(fraction * self._total), self._total, self._remark)
        self._is_over = fraction == 1

    def hear(self, line: Line) -> None:
        """A line of the log."""
        if line["kind"] == "strength":
            self.progress.say(f"{line['minutes']:.1f} minutes, {line['rounds']:,} rounds: {strength(line)}")
        elif line["kind"] == "progress":
            full = how_it_goes(line)
            self._remark = f"{line['rounds_per_second']:,.0f} rounds/s" if self._is_bar else full
            if self._is_bar and monotonic() - self._said >= SAY_S:
                self._said = monotonic()
                self.progress.say(full)


def how_it_goes(line: Line) -> str:
    """A line of progress, as text."""
    calls = ", ".join(
        f"{name} {one['count'] / max(1, line['seats']):.1%} made {one['made'] / max(1, one['count']):.0%} "
        f"(expected {one['expected'] / max(1, one['count']):.0%})"
        for kind, name in NAMES.items()
        if (one := line[kind])
    )
    explained = "nothing yet" if line["explained"] is None else f"{line['explained']:.0%}"
    if line["loss"] is None:
        learned = "the critic learns alone"
    else:
        learned = f"loss {line['loss']:.4f}, entropy {line['entropy']:.3f}"
    return (
        f"{line['rounds_per_second']:,.0f} rounds/s, {learned}, critic {line['critic_loss']:.3f}, "
        f"explained {explained}, {calls}"
    )


def strength(line: Line) -> str:
    """A line of strength, as text."""
    points = line["points"]
    return (
        f"{points['mean']:+.1f} ({points['low']:+.1f} to {points['high']:+.1f}) points a round over "
        f"{line['opponent']}, {line['played']:,} rounds"
    )


def text(sheet: "Sheet", out: Path) -> str:
    """What has come of it."""
    lines = [f"{out / POLICY}: {sheet.net}, {sheet.minutes:,.1f} minutes, {sheet.rounds:,} rounds"]
    lines += [strength(to_builtins(measured)) for measured in sheet.strength]
    for kind, calls in sheet.calls.items():
        said = []
        if calls.per_hand is not None:
            said.append(f"called with {calls.per_hand:.1%} of the hands")
        if calls.made is not None:
            said.append(f"made {calls.made:.0%}, expected {calls.expected:.0%}")
        lines.append(f"{NAMES[kind]}: {', '.join(said) or 'too few calls to tell'}")
    return "\n".join(lines)
