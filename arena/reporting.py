"""What a run has shown, as text and as JSON.

:class:`Report` is the JSON: its fields are the keys, and they stay. What there was nothing of is null, and so is an end
of an interval that nothing bounds. Shares are 0..1. The behaviour of people stands beside that of the agents in
:data:`HUMAN`, in the same fields.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import isnan
from operator import add
from textwrap import wrap

from msgspec import Struct, structs

from arena.jobs import Job, Rules, Unit
from arena.statistics import Interval, elo_interval, interval_of, percentile, rate_interval
from arena.tally import Behaviour, Tally, Timing
from arena.teams import parse_team


class Calls(Struct, frozen=True, kw_only=True):
    """
    :ivar per_seat: calls per seat and round.
    :ivar made: which share of them won.
    """

    per_seat: float | None
    made: float | None


class Habits(Struct, frozen=True, kw_only=True):
    """How somebody plays.

    :ivar tichu: small calls.
    :ivar grand_tichu: grand ones.
    :ivar double_victories: in which share of the rounds both partners were out before both opponents.
    :ivar bombs_per_round: bombs played per seat and round.
    :ivar dragon_right: which share of the dragons given away went to the right neighbour (p+1).
    :ivar without_wish: which share of the Mah Jongs was played without a wish.
    :ivar first_out: in which share of the rounds a seat was the first to get rid of its cards.
    """

    tichu: Calls
    grand_tichu: Calls
    double_victories: float | None
    bombs_per_round: float | None
    dragon_right: float | None
    without_wish: float | None
    first_out: float | None


# Large archives of Brettspielwelt (brettspielwelt.md 7). Two teams share 23.7 % double victories, four seats 0.44
# bombs per round, and one of four is the first to be out.
HUMAN = Habits(
    tichu=Calls(per_seat=0.139, made=0.734),
    grand_tichu=Calls(per_seat=0.078, made=0.618),
    double_victories=0.237 / 2,
    bombs_per_round=0.44 / 4,
    dragon_right=0.37,
    without_wish=0.20,
    first_out=1 / 4,
)
HUMAN_TRICKS_PER_ROUND = 11.0
HUMAN_ROUNDS_PER_MATCH = 9.5


class Durations(Struct, frozen=True, kw_only=True):
    """
    :ivar median: half of them took no longer.
    :ivar p99: 99 % of them took no longer.
    """

    median: float | None
    p99: float | None


class Faults(Struct, frozen=True, kw_only=True):
    """Decisions that were replaced by a legal action.

    :ivar raised: because the agent raised.
    :ivar illegal: because it gave no legal action.
    :ivar late: because it took longer than its limit.
    """

    raised: int
    illegal: int
    late: int


class Panel(Habits, frozen=True, kw_only=True):
    """How an agent of a team plays; partners that are the same agent have one panel. Also the keys of :class:`Habits`.

    :ivar team: 0 for the first team, 1 for the second.
    :ivar agent: as a team's text names it.
    :ivar wishes: how often each rank was wished, by rank "2".."14".
    :ivar decision_ms: how long its decisions took, in milliseconds.
    :ivar faults: its own.
    """

    team: int
    agent: str
    wishes: dict[int, int]
    decision_ms: Durations
    faults: Faults


class Report(Struct, frozen=True, kw_only=True):
    """What a run has shown. Intervals are 95 % intervals: ``mean``, ``low``, ``high``.

    :ivar teams: the first and the second, as text.
    :ivar unit: what was asked for, "rounds" or "games".
    :ivar seed: of all deals and all chance of the agents.
    :ivar rules: "house", "pocket" or "brettspielwelt".
    :ivar pairs_asked: how many pairs of rounds or matches the run was to have.
    :ivar pairs: how many were played.
    :ivar rounds: that were played.
    :ivar matches: that were played; 0 with rounds.
    :ivar points_per_round: the first team's points less the second's, in one round.
    :ivar win_rate: matches won by the first team, a draw a half, with games; with rounds the same of rounds.
    :ivar wins: matches that the first team won, with games; with rounds the same of rounds.
    :ivar draws: that nobody won.
    :ivar losses: that the second team won.
    :ivar elo: the Elo difference that the win rate means.
    :ivar rounds_per_match: null with rounds.
    :ivar tricks_per_round: the dog is none.
    :ivar decisions_per_round: questions that the four agents answered, calls and the exchange included.
    :ivar seconds: on the wall.
    :ivar rounds_per_second: on the wall.
    :ivar cpu_seconds: of all processes that played.
    :ivar faults: of all agents.
    :ivar verdict: what the stop rule found, as a sentence, if it ended the run.
    :ivar agents: their behaviour, those of the first team first.
    """

    teams: tuple[str, str]
    unit: Unit
    seed: int
    rules: Rules
    pairs_asked: int
    pairs: int
    rounds: int
    matches: int
    points_per_round: Interval
    win_rate: Interval
    wins: int
    draws: int
    losses: int
    elo: Interval
    rounds_per_match: float | None
    tricks_per_round: float | None
    decisions_per_round: float | None
    seconds: float
    rounds_per_second: float | None
    cpu_seconds: float
    faults: Faults
    verdict: str | None
    agents: list[Panel]


def report(job: Job, tally: Tally, timing: Timing, seconds: float, verdict: str | None = None) -> Report:
    """
    :param seconds: on the wall, all sittings together.
    :param verdict: of the stop rule, if it ended the run.
    """
    games = job.unit == "games"
    score = tally.match_score if games else tally.round_score
    outcomes = tally.match_outcomes if games else tally.round_outcomes
    return Report(
        teams=job.teams,
        unit=job.unit,
        seed=job.seed,
        rules=job.rules,
        pairs_asked=job.pairs,
        pairs=tally.pairs,
        rounds=tally.rounds,
        matches=tally.matches,
        points_per_round=interval_of(tally.points),
        win_rate=rate_interval(score),
        wins=outcomes.wins,
        draws=outcomes.draws,
        losses=outcomes.losses,
        elo=elo_interval(score),
        rounds_per_match=_share(tally.rounds, tally.matches),
        tricks_per_round=_share(tally.tricks, tally.rounds),
        decisions_per_round=_share(sum(slot.decisions for slot in tally.behaviour), tally.rounds),
        seconds=seconds,
        rounds_per_second=_share(tally.rounds, seconds),
        cpu_seconds=timing.cpu_seconds,
        faults=_faults(reduce(add, tally.behaviour)),
        verdict=verdict,
        agents=panels(job, tally, timing),
    )


def panels(job: Job, tally: Tally, timing: Timing) -> list[Panel]:
    """One for each agent of a team; the first team's first."""
    found = []
    for team, text in enumerate(job.teams):
        one, other = parse_team(text).agents
        for agent, slots in [(one, (team, team + 2))] if one == other else [(one, (team,)), (other, (team + 2,))]:
            behaviour = reduce(add, (tally.behaviour[slot] for slot in slots))
            durations = reduce(add, (Counter(timing.decisions[slot]) for slot in slots))
            found.append(_panel(team, agent.text, behaviour, durations))
    return found


def _panel(team: int, agent: str, seen: Behaviour, durations: Counter[int]) -> Panel:
    return Panel(
        team=team,
        agent=agent,
        tichu=Calls(per_seat=_share(seen.tichu, seen.rounds), made=_share(seen.tichu_made, seen.tichu)),
        grand_tichu=Calls(per_seat=_share(seen.grand, seen.rounds), made=_share(seen.grand_made, seen.grand)),
        double_victories=_share(seen.double_victories, seen.rounds),
        bombs_per_round=_share(seen.bombs, seen.rounds),
        dragon_right=_share(seen.dragon_right, seen.dragon_right + seen.dragon_left),
        wishes=dict(enumerate(seen.wishes[2:], start=2)),
        without_wish=_share(seen.wishes[0], sum(seen.wishes)),
        first_out=_share(seen.first_out, seen.rounds),
        decision_ms=Durations(median=_milliseconds(durations, 0.5), p99=_milliseconds(durations, 0.99)),
        faults=_faults(seen),
    )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _milliseconds(durations: Counter[int], share: float) -> float | None:
    seconds = percentile(durations, share)
    return None if isnan(seconds) else 1000 * seconds


def _faults(seen: Behaviour) -> Faults:
    return Faults(raised=seen.raised, illegal=seen.illegal, late=seen.late)


# --- in words ---------------------------------------------------------------------------------------------------------

# How somebody plays, 0..1.
HABITS: list[tuple[str, Callable[[Habits], float | None]]] = [
    ("Tichu called", lambda who: who.tichu.per_seat),
    ("Tichu made", lambda who: who.tichu.made),
    ("grand Tichu called", lambda who: who.grand_tichu.per_seat),
    ("grand Tichu made", lambda who: who.grand_tichu.made),
    ("double victories", lambda who: who.double_victories),
    ("bombs", lambda who: who.bombs_per_round),
    ("dragon to the right", lambda who: who.dragon_right),
    ("Mah Jong, no wish", lambda who: who.without_wish),
    ("first out", lambda who: who.first_out),
]
ABOUT_FIGURES = "Intervals are 95% intervals. Points, wins and Elo are those of the first team."
ABOUT_HABITS = "Per hand, or per occasion. People: large archives of Brettspielwelt."
_RANKS = {11: "J", 12: "Q", 13: "K", 14: "A"}


def figures(report: Report) -> list[tuple[str, str]]:
    """What a report says of the run, with labels; :data:`ABOUT_FIGURES` explains it."""
    each = "matches" if report.unit == "games" else "rounds"
    rows = [
        ("points per round", spread(report.points_per_round, "{:+.1f}")),
        (f"{each} won", spread(report.win_rate, "{:.1%}")),
        ("won, drawn, lost", f"{report.wins:,}, {report.draws:,}, {report.losses:,} {each}"),
        ("Elo difference", spread(report.elo, "{:+.0f}")),
        ("rounds", f"{report.rounds:,}"),
    ]
    if report.unit == "games":
        rows.append(("matches", f"{report.matches:,}"))
        rows.append(("rounds per match", f"{number(report.rounds_per_match)} (people {HUMAN_ROUNDS_PER_MATCH})"))
    return [
        *rows,
        ("tricks per round", f"{number(report.tricks_per_round)} (people {HUMAN_TRICKS_PER_ROUND})"),
        ("decisions per round", number(report.decisions_per_round)),
        ("duration", f"{report.seconds:,.1f} s, {number(report.rounds_per_second, '{:,.0f}')} rounds/s"),
        ("processor time", f"{report.cpu_seconds:,.1f} s"),
        ("faults", "{:,} raised, {:,} illegal, {:,} late".format(*structs.astuple(report.faults))),
    ]


def habits(agents: Sequence[Panel]) -> list[tuple[str, list[str], str]]:
    """What panels say, with labels: what, how each agent, how people. :data:`ABOUT_HABITS` explains it."""
    rows = [(label, [number(of(one), "{:.1%}") for one in agents], number(of(HUMAN), "{:.1%}")) for label, of in HABITS]
    return [
        *rows,
        ("most frequent wish", [_wish(one.wishes) for one in agents], ""),
        ("decision, median ms", [number(one.decision_ms.median, "{:.3f}") for one in agents], ""),
        ("decision, 99% within ms", [number(one.decision_ms.p99, "{:.3f}") for one in agents], ""),
        ("raised, illegal, late", ["{:,}, {:,}, {:,}".format(*structs.astuple(one.faults)) for one in agents], ""),
    ]


def number(value: float | None, form: str = "{:,.1f}") -> str:
    """
    >>> number(1234.56), number(None), number(float("inf"), "{:+.0f}")
    ('1,234.6', '–', '+∞')
    """
    return "–" if value is None or isnan(value) else form.format(value).replace("inf", "∞")


def spread(interval: Interval, form: str) -> str:
    """
    >>> spread(Interval(0.5, 0.25, 0.75), "{:.0%}")
    '50% (25% to 75%)'
    """
    return "{} ({} to {})".format(*(number(end, form) for end in structs.astuple(interval)))


def _wish(wishes: dict[int, int]) -> str:
    rank, count = max(wishes.items(), key=lambda item: item[1])
    return f"{_RANKS.get(rank, rank)} ({count / sum(wishes.values()):.0%})" if count else "–"


# --- for the terminal -------------------------------------------------------------------------------------------------

WIDTH = 100
_LABEL, _COLUMN, _PEOPLE = 30, 15, 10  # four agents: 100


def text(report: Report) -> str:
    """The report for a terminal, at most 100 columns wide."""
    results = [f"{label:{_LABEL}}{value}" for label, value in figures(report)]
    return "\n".join([*_head(report), "", *results, ABOUT_FIGURES, "", *_behaviour(report.agents), ABOUT_HABITS, ""])


def _head(report: Report) -> list[str]:
    played = f"{report.matches:,} matches, {report.rounds:,} rounds" if report.matches else f"{report.rounds:,} rounds"
    missing = f" of {report.pairs_asked:,}" if report.pairs < report.pairs_asked else ""
    lines = [f"{report.teams[0]} against {report.teams[1]}"]
    lines.append(
        f"{played} ({report.pairs:,}{missing} pairs of the same deals), seed {report.seed}, {report.rules} rules"
    )
    if report.verdict:
        lines.append(report.verdict)
    return [part for line in lines for part in wrap(line, WIDTH)]


def _behaviour(agents: Sequence[Panel]) -> list[str]:
    """The panels side by side, and people."""
    return [
        _line("", (("first team", "second team")[one.team] for one in agents)),
        _line("", (_cut(one.agent) for one in agents), "people"),
        *(_line(label, cells, people) for label, cells, people in habits(agents)),
    ]


def _line(label: str, cells: Iterable[str], people: str = "") -> str:
    return f"{label:{_LABEL}}{''.join(f'{cell:>{_COLUMN}}' for cell in cells)}{people:>{_PEOPLE}}".rstrip()


def _cut(agent: str) -> str:
    """A column has no room for modules, and for few options."""
    if len(agent) < _COLUMN:
        return agent
    name, colon, options = agent.partition(":")
    short = name.rpartition(".")[2] + colon + options
    return short if len(short) < _COLUMN else f"{short[: _COLUMN - 2]}…"
