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

from msgspec import Struct

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


# --- for the terminal -------------------------------------------------------------------------------------------------

WIDTH = 100
_LABEL, _COLUMN, _PEOPLE = 30, 15, 10  # four agents: 100
_RANKS = {11: "J", 12: "Q", 13: "K", 14: "A"}

Number = float | None


def text(report: Report) -> str:
    """The report for a terminal, at most 100 columns wide."""
    return "\n".join([*_head(report), "", *_results(report), "", *_behaviour(report.agents), ""])


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


def _results(report: Report) -> list[str]:
    faults = report.faults
    each = "matches" if report.unit == "games" else "rounds"
    rows = [
        ("points per round", _interval(report.points_per_round, "{:+.1f}".format)),
        (f"{each} won", _interval(report.win_rate, _percent)),
        ("Elo difference", _interval(report.elo, "{:+.0f}".format)),
        ("won, drawn, lost", f"{report.wins:,}, {report.draws:,}, {report.losses:,} {each}"),
    ]
    if report.unit == "games":
        rows.append(("rounds per match", f"{_number(report.rounds_per_match)} (people {HUMAN_ROUNDS_PER_MATCH})"))
    rows += [
        ("tricks per round", f"{_number(report.tricks_per_round)} (people {HUMAN_TRICKS_PER_ROUND})"),
        ("decisions per round", _number(report.decisions_per_round)),
        (
            "duration",
            f"{report.seconds:,.1f} s, {_number(report.rounds_per_second, '{:,.0f}'.format)} rounds/s, "
            f"{report.cpu_seconds:,.1f} s of CPU",
        ),
    ]
    if faults.raised or faults.illegal or faults.late:
        rows.append(("FAULTS", f"{faults.raised:,} raised, {faults.illegal:,} illegal, {faults.late:,} late"))
    return [f"{label:{_LABEL}}{value}" for label, value in rows]


def _behaviour(agents: Sequence[Panel]) -> list[str]:
    """The panels side by side, and people."""
    rows: list[tuple[str, Callable[[Habits], Number], Callable[[float], str]]] = [
        ("Tichu calls per seat", lambda who: who.tichu.per_seat, _percent),
        ("  made", lambda who: who.tichu.made, _percent),
        ("grand Tichu calls per seat", lambda who: who.grand_tichu.per_seat, _percent),
        ("  made", lambda who: who.grand_tichu.made, _percent),
        ("double victories of the team", lambda who: who.double_victories, _percent),
        ("bombs per seat and round", lambda who: who.bombs_per_round, "{:.3f}".format),
        ("dragon to the right", lambda who: who.dragon_right, _percent),
        ("Mah Jong without a wish", lambda who: who.without_wish, _percent),
        ("first out", lambda who: who.first_out, _percent),
    ]
    lines = [
        _line("", (("first team", "second team")[one.team] for one in agents)),
        _line("", (_cut(one.agent) for one in agents), "people"),
    ]
    for label, of, written in rows:
        lines.append(_line(label, (_number(of(one), written) for one in agents), _number(of(HUMAN), written)))
    lines.append(_line("most frequent wish", (_wish(one.wishes) for one in agents)))
    lines.append(_line("median decision, ms", (_number(one.decision_ms.median, "{:.3f}".format) for one in agents)))
    lines.append(
        _line("99 % of decisions within, ms", (_number(one.decision_ms.p99, "{:.3f}".format) for one in agents))
    )
    faults = [one.faults for one in agents]
    if any(one.raised or one.illegal or one.late for one in faults):
        lines.append(_line("raised, illegal, late", (f"{one.raised}, {one.illegal}, {one.late}" for one in faults)))
    return lines


def _line(label: str, cells: Iterable[str], people: str = "") -> str:
    return f"{label:{_LABEL}}{''.join(f'{cell:>{_COLUMN}}' for cell in cells)}{people:>{_PEOPLE}}".rstrip()


def _cut(agent: str) -> str:
    """A column has no room for modules, and for few options."""
    if len(agent) < _COLUMN:
        return agent
    name, colon, options = agent.partition(":")
    short = name.rpartition(".")[2] + colon + options
    return short if len(short) < _COLUMN else f"{short[: _COLUMN - 2]}…"


def _wish(wishes: dict[int, int]) -> str:
    rank, count = max(wishes.items(), key=lambda item: item[1])
    return f"{_RANKS.get(rank, rank)} ({100 * count / sum(wishes.values()):.0f} %)" if count else "–"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _number(value: Number, written: Callable[[float], str] = "{:,.1f}".format) -> str:
    return "–" if value is None or isnan(value) else written(value).replace("inf", "∞")


def _interval(interval: Interval, written: Callable[[float], str]) -> str:
    mean, low, high = (_number(value, written) for value in (interval.mean, interval.low, interval.high))
    return f"{mean}  (95 %: {low} to {high})"
