"""Plays what a log says by the rules, and says what is wrong with it.

    LoggedRound --replay--> Replayed: the moves that the rules make of it, its score, findings

A log names cards, not combinations, and leaves out what goes without saying. The lines are followed one by one by
*positions*: the round on the kernel (:class:`games.tichu._core.Round`) and the moves that led to it. Nearly always
there is one. Where a line can be read in two ways it becomes two, the low reading of the phoenix first; positions that
a later line contradicts are dropped, and two that have become equal are one again, the first of them.

A line that contradicts all positions ends the replay: what comes after it would rest on a guess. Lines that the rules
have no place for but that move no card (a call that stands there twice or too late, a wish of nobody, anything after
the end) are reported and ignored.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from operator import eq
from typing import TypeAlias

from msgspec import Struct

from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.log import Label, Line, LoggedRound
from games.tichu import cards as deck
from games.tichu._core import ARMED, BOMB, DONE, DRAGON, PASSED, PLAY, WISH, Round, legal_plays
from games.tichu.cards import CardSet
from games.tichu.notation import Move
from games.tichu.rules import RuleSet

RULES = RuleSet.brettspielwelt()
FLAGS = RULES.flags
SEATS = range(4)
Score: TypeAlias = tuple[int, int]  # team 20, team 31
CARDS: dict[Label, CardSet] = {deck.label(card).replace("Z", "10"): card for card in deck.each(deck.DECK)}


class Replayed(Struct):
    """What the rules make of a logged round.

    :ivar findings: the first one is the round's state; those that were corrected come after the others. They do not
        hold what the parser found.
    :ivar usable: the rules replay it to one score.
    :ivar score: of team 20 and team 31, by the rules; None unless usable.
    :ivar first_eight, fourteen: card sets per seat; 0 where the log has none that are right.
    :ivar moves: as :func:`games.tichu.notation.actions_of` takes them; up to the first contradiction unless usable.
    :ivar lines: for each move the index of its line in the play; -1 before the play, and for what has no line.
    :ivar calls: per seat 0 none, 1 Tichu, 2 grand Tichu.
    :ivar places: per seat 1 for the first that went out, 2, 3; 4 for the others.
    :ivar bombs: per seat, played; ``bombs_held``: the mask of seats with a bomb after the exchange.
    :ivar tricks: without the dog's; ``moves_count``: plays and passes, without those that take a trick.
    :ivar wish: 2..14, 0 none; None if the Mah Jong was not played.
    :ivar dragon: how far the receiver of the dragon's trick sits from the giver, 1 or 3; None if nobody gave it.
    """

    findings: list[Finding]
    usable: bool
    score: tuple[int, int] | None
    first_eight: tuple[int, ...]
    fourteen: tuple[int, ...]
    moves: list[Move]
    lines: list[int]
    calls: tuple[int, ...] = (0, 0, 0, 0)
    places: tuple[int, ...] = (4, 4, 4, 4)
    bombs: tuple[int, ...] = (0, 0, 0, 0)
    bombs_held: int = 0
    tricks: int = 0
    moves_count: int = 0
    wish: int | None = None
    dragon: int | None = None
    double_victory: bool = False


def replay(logged: LoggedRound) -> Replayed:
    """Replays a round. Whatever the log says, this does not raise."""
    eight, fourteen = _hands(logged.eight, 8), _hands(logged.fourteen, 14)
    gifts = [[CARDS.get(label, 0) for label in labels] for labels in logged.gifts]
    if not _is_deal(eight, fourteen, gifts):
        findings = [*_deal_findings(logged), *_score_findings(logged.result, None, None)]
        return Replayed(findings, False, None, eight, fourteen, [], [])
    first = _Position(Round(eight, fourteen, FLAGS))
    positions = [first]
    scores = set()
    try:
        first.exchange(logged, gifts)
        for at, line in enumerate(logged.lines):
            positions = _follow(positions, at, line)
        positions = [ended for position in positions for ended in position.end(len(logged.lines))]
        scores = {position.round.score() for position in positions}
    except _Impossible as contradiction:
        positions[0].findings.append(contradiction.finding)
    position = positions[0]
    score = scores.pop() if len(scores) == 1 else None
    if score is not None:  # whoever got a dragon
        for finding in position.findings:
            finding.corrected |= finding.code == Code.DRAGON_NOT_GIVEN
    position.findings += _score_findings(logged.result, score, position.round)
    if logged.names != logged.hand_names:
        position.report(
            Code.NAMES_DIFFER, -1, f"{_named(logged.hand_names)}, then {_named(logged.names)}", corrected=True
        )
    position.findings.sort(key=lambda finding: finding.corrected)
    return _replayed(position, score)


def judge_game(rounds: Sequence[LoggedRound], replayed: Sequence[Replayed]) -> list[Finding]:
    """What is wrong with a game as a whole; ``move`` is the index of the round."""
    findings = []
    played_on = False
    names: tuple[str, ...] = ()
    *before, totals = _standings(rounds, replayed)
    for at, (logged, totals_before) in enumerate(zip(rounds, before, strict=True)):
        if is_won(totals_before) and not played_on:
            played_on = True
            findings.append(_finding(Code.PLAYED_ON, at, f"after {totals_before[0]} - {totals_before[1]}"))
        if names and logged.names and logged.names != names:
            change = f"{_named(names)}, then {_named(logged.names)}"
            findings.append(_finding(Code.PLAYER_CHANGED, at, change, corrected=True))
        names = logged.names or names  # a log that is cut off in the hands may have none
    if not is_won(totals):
        findings.append(_finding(Code.GAME_UNFINISHED, -1, f"{totals[0]} - {totals[1]}"))
    return sorted(findings, key=lambda finding: finding.corrected)


def final_score(rounds: Sequence[LoggedRound], replayed: Sequence[Replayed]) -> Score:
    """The points when a team had won, whatever was played on; at the end if none has."""
    totals = (0, 0)
    for totals in _standings(rounds, replayed):
        if is_won(totals):
            break
    return totals


def beginnings(rounds: Sequence[LoggedRound], replayed: Sequence[Replayed]) -> Iterator[int]:
    """The indices of the rounds that games begin with, where several may stand one after the other.

    People have played on when a game was won. So another one begins only if others sit on all four seats then.
    """
    totals = (0, 0)
    for at, (logged, own) in enumerate(zip(rounds, replayed, strict=True)):
        if at == 0 or (is_won(totals) and not any(map(eq, logged.names, rounds[at - 1].names))):
            yield at
            totals = (0, 0)
        totals = _added(totals, logged, own)


def _standings(rounds: Sequence[LoggedRound], replayed: Sequence[Replayed]) -> Iterator[Score]:
    """The points before each round, and at the end."""
    totals = (0, 0)
    yield totals
    for logged, own in zip(rounds, replayed, strict=True):
        totals = _added(totals, logged, own)
        yield totals


def _added(totals: Score, logged: LoggedRound, own: Replayed) -> Score:
    """The points after a round.

    A game ends by the scores that the server counted, so these decide; the computed ones only where none are logged.
    """
    points = logged.result or own.score or (0, 0)
    return totals[0] + points[0], totals[1] + points[1]


# --- following the lines ----------------------------------------------------------------------------------------------


class _Impossible(Exception):  # noqa: N818
    """The rules do not allow what the log says."""

    def __init__(self, code: Code, at: int, detail: str) -> None:
        super().__init__(detail)
        self.finding = _finding(code, at, detail)


def _follow(positions: "list[_Position]", at: int, line: Line) -> "list[_Position]":
    """The positions after a line.

    :raises _Impossible: what the first of them says, if it contradicts all.
    """
    if len(positions) == 1:
        return positions[0].follow(at, line)
    following: dict[tuple[int, ...], _Position] = {}
    contradictions = []
    for position in positions:
        try:
            for after in position.follow(at, line):
                following.setdefault(after.round.row[:PASSED], after)  # passes change nothing that follows
        except _Impossible as contradiction:
            contradictions.append(contradiction)
    if not following:
        raise contradictions[0]
    return list(following.values())


class _Position:
    """A round, and what led to it."""

    __slots__ = ("bombs_held", "findings", "lines", "moves", "round", "tricks")

    def __init__(self, round: Round) -> None:
        self.round = round
        self.bombs_held = 0
        self.findings: list[Finding] = []
        self.moves: list[Move] = []
        self.lines: list[int] = []
        self.tricks = 0

    def copy(self) -> "_Position":
        other = _Position(self.round.copy())
        other.bombs_held = self.bombs_held
        other.findings = self.findings.copy()
        other.moves = self.moves.copy()
        other.lines = self.lines.copy()
        other.tricks = self.tricks
        return other

    def exchange(self, logged: LoggedRound, gifts: Sequence[Sequence[CardSet]]) -> None:
        """The calls before the exchange, and the exchange."""
        grand = [seat for kind, seat in logged.before if kind == "grand"]
        for seat in SEATS:
            self.round.decide_grand(seat, seat in grand)
            self.add(-1, (seat, "grand", seat in grand))
        for kind, seat in logged.before:
            if seat not in SEATS or kind not in ("grand", "tichu"):
                raise _Impossible(Code.UNREADABLE, -1, f"{kind} ({seat})")
            if kind == "tichu":
                self.call(-1, seat)
        for seat in set(grand):
            if grand.count(seat) > 1:
                self.report(Code.CALL_TWICE, -1, f"({seat}) grand Tichu", corrected=True)
        for seat, (right, partner, left) in enumerate(gifts):
            self.round.give(seat, right, partner, left)
            self.add(-1, (seat, "schupf", (right, partner, left)))
        self.bombs_held = self.round.row[ARMED]
        held = tuple([seat for seat in SEATS if self.bombs_held >> seat & 1])
        if (logged.bombs or ()) != held:
            self.report(Code.BOMBS_DIFFER, -1, f"logged {logged.bombs or 'none'}, held {held or 'none'}")

    def follow(self, at: int, line: Line) -> "list[_Position]":
        """What becomes of it by a line.

        :raises _Impossible: that line is impossible here.
        """
        kind, seat = line.kind, line.seat
        if kind == "wish":
            return self.wish(at, line.rank)
        if seat not in SEATS:
            raise _Impossible(Code.UNREADABLE, at, f"{kind} ({seat})")
        if self.round.phase == DONE and kind != "dragon":
            if not any(finding.code == Code.TOO_LONG for finding in self.findings):
                self.report(Code.TOO_LONG, at, _words(line))
            return [self]
        if kind == "play":
            return self.play(at, line)
        if kind == "pass":
            return self.pass_or_take(at, seat)
        if kind == "tichu":
            return self.call(at, seat)
        if kind == "dragon":
            return self.give_dragon(at, seat)
        raise _Impossible(Code.UNREADABLE, at, f"{kind} ({seat})")

    def play(self, at: int, line: Line) -> "list[_Position]":
        round, seat = self.round, line.seat
        cards = _played(at, line)
        hand = round.hand(seat)
        if missing := cards & ~hand:
            code = Code.ALREADY_PLAYED if missing & round.played else Code.NOT_IN_HAND
            raise _Impossible(code, at, f"({seat}) {_labels(missing)}")
        if round.phase == WISH:
            self.omit_wish()
        if round.phase == DRAGON or (round.turn == round.owner and self.leads(seat, cards)):
            if round.phase == PLAY:
                round.take()
            if round.phase == DRAGON:  # still not given
                return [after for before in self.give_to_either(at) for after in before.play(at, line)]
        if round.turn != seat or round.owner == seat:
            return self.bomb(at, seat, cards)
        top = round.trick_meta
        metas = [meta for used, meta in legal_plays(cards, top, 0, 0) if used == cards]
        if not metas:
            raise _Impossible(Code.NOT_PLAYABLE, at, f"{_words(line)} on {_labels(round.top_cards) or 'nothing'}")
        wish = round.wish
        if wish > 0 and hand & 15 << 4 * wish and not cards & 15 << 4 * wish and metas[0] >> 16 & 0xFF != BOMB:
            self.require_no_wish(at, line)
        if not top and cards != deck.DOG:
            self.tricks += 1
        if len(metas) == 1:
            round.play(seat, cards, metas[0])
            self.add(at, (seat, "play", (cards, metas[0])))
            return [self]
        metas.sort(key=lambda meta: meta & 0xFF)
        readings = [self, *(self.copy() for _ in metas[1:])]
        for reading, meta in zip(readings, metas, strict=True):
            reading.round.play(seat, cards, meta)
            reading.add(at, (seat, "play", (cards, meta)))
        return readings

    def bomb(self, at: int, seat: int, cards: CardSet) -> "list[_Position]":
        """Out of turn, or by the owner on his own trick."""
        for used, meta in self.round.bombs(seat):
            if used == cards:
                self.round.play(seat, cards, meta)
                self.add(at, (seat, "bomb", (cards, meta)))
                return [self]
        if self.round.turn == seat:
            raise _Impossible(Code.NOT_PLAYABLE, at, f"({seat}) {_labels(cards)} before taking the trick")
        raise _Impossible(Code.NOT_ON_TURN, at, f"({seat}) {_labels(cards)}, but it is the turn of ({self.turn()})")

    def pass_or_take(self, at: int, seat: int) -> "list[_Position]":
        """A pass; an owner who still has cards logs a last one when he takes his trick."""
        round = self.round
        if round.phase == WISH:
            self.omit_wish()
        if round.phase == DRAGON:
            return [after for before in self.give_to_either(at) for after in before.pass_or_take(at, seat)]
        if (turn := self.turn()) != seat:
            raise _Impossible(Code.NOT_ON_TURN, at, f"({seat}) passes, but it is the turn of ({turn})")
        if round.owner == seat:
            round.take()
            return [self]
        if not round.trick_meta or turn != round.turn:
            raise _Impossible(Code.PASS_ON_LEAD, at, f"({seat}) passes")
        wish = round.wish
        if wish > 0 and round.hand(seat) & 15 << 4 * wish:
            self.require_no_wish(at, Line("pass", seat))
        round.play(seat, 0, 0)
        self.add(at, (seat, "play", (0, 0)))
        return [self]

    def call(self, at: int, seat: int) -> "list[_Position]":
        """A small Tichu; one that stands there twice counts once."""
        if called := self.round.call(seat):
            self.report(Code.CALL_TWICE, at, f"({seat}) {('Tichu', 'grand Tichu')[called - 1]}", corrected=called == 1)
        elif self.round.can_call(seat):
            self.round.announce(seat)
            self.add(at, (seat, "announce", True))
        else:
            self.report(Code.CALL_TOO_LATE, at, f"({seat}) Tichu")
        return [self]

    def wish(self, at: int, rank: int) -> "list[_Position]":
        if not 2 <= rank <= 14:
            raise _Impossible(Code.UNREADABLE, at, f"wish {rank}")
        if self.round.phase == WISH:
            self.add(at, (self.round.turn, "wish", rank))
            self.round.make_wish(rank)
        else:
            self.report(Code.WISH_WITHOUT_MAH_JONG, at, f"wish {rank}")
        return [self]

    def omit_wish(self) -> None:
        """No line is no wish."""
        self.add(-1, (self.round.turn, "wish", 0))
        self.round.make_wish(0)

    def give_dragon(self, at: int, recipient: int) -> "list[_Position]":
        round = self.round
        if round.phase == PLAY and round.top_cards == deck.DRAGON and self.turn() != round.owner == round.turn:
            round.take()
        if round.phase == DRAGON:
            owner = round.owner
            if not recipient - owner & 1:
                raise _Impossible(Code.DRAGON_TO_OWN_TEAM, at, f"({owner}) gives it to ({recipient})")
            round.give_dragon(recipient)
            self.add(at, (owner, "dragon", recipient))
        elif not (round.phase == DONE and round.double_victory and self.moves[-1][2][0] == deck.DRAGON):
            self.report(Code.DRAGON_WITHOUT_WINNING, at, f"to ({recipient})")
        elif not recipient - self.moves[-1][0] & 1:  # in a double victory it does not matter
            self.report(Code.DRAGON_TO_OWN_TEAM, at, f"({self.moves[-1][0]}) gives it to ({recipient})")
        return [self]

    def give_to_either(self, at: int) -> "list[_Position]":
        """The log does not say who got the dragon's trick; the score may be the same."""
        owner = self.round.owner
        self.report(Code.DRAGON_NOT_GIVEN, at, f"({owner}) has taken it")
        positions = [self, self.copy()]
        for position, recipient in zip(positions, ((owner + 1) % 4, (owner + 3) % 4), strict=True):
            position.round.give_dragon(recipient)
            position.add(-1, (owner, "dragon", recipient))
        return positions

    def end(self, at: int) -> "list[_Position]":
        """What it is when nothing comes any more."""
        positions = self.give_to_either(at) if self.round.phase == DRAGON else [self]
        if any(position.round.phase != DONE for position in positions):
            raise _Impossible(Code.TOO_SHORT, at, "the round is not over")
        return positions

    # what several of them need

    def turn(self) -> int:
        """Who is to move; the trick of an owner without cards closes by itself, and the next seat with some leads."""
        seat = self.round.turn
        if seat == self.round.owner:
            while not self.round.hand(seat):
                seat = (seat + 1) % 4
        return seat

    def leads(self, seat: int, cards: CardSet) -> bool:
        """Whether a play leads after a trick that waits for its owner, not bombs it.

        The trick of an owner without cards closes as soon as the turn has passed his seat, the dragon's when it is
        given away.
        """
        round = self.round
        if round.hand(round.owner) or seat != self.turn():
            return False
        return round.top_cards != deck.DRAGON or all(used != cards for used, _ in round.bombs(seat))

    def require_no_wish(self, at: int, line: Line) -> None:
        """The seat to move holds the wished rank, but does not play it: then no play has it."""
        wish = self.round.wish
        if any(cards & 15 << 4 * wish for cards, _ in self.round.legal_plays()):
            raise _Impossible(Code.WISH_NOT_FOLLOWED, at, f"{_words(line)}, but {wish} is wished")

    def add(self, at: int, move: Move) -> None:
        self.moves.append(move)
        self.lines.append(at)

    def report(self, code: Code, at: int, detail: str, *, corrected: bool = False) -> None:
        self.findings.append(_finding(code, at, detail, corrected=corrected))


# --- the deal ---------------------------------------------------------------------------------------------------------


def _hands(hands: Sequence[Sequence[Label]], count: int) -> tuple[CardSet, ...]:
    """A card set per seat; 0 for a hand that is not so many different cards."""
    if len(hands) != 4:
        return (0, 0, 0, 0)
    sets = [_sum(labels) if len(labels) == count else 0 for labels in hands]
    return tuple([cards if cards.bit_count() == count else 0 for cards in sets])


def _sum(labels: Sequence[Label]) -> int:
    """The set of these cards, if as many bits are set as there are labels; otherwise one is unknown or there twice."""
    return sum([CARDS.get(label, 0) for label in labels])


def _is_deal(eight: Sequence[CardSet], fourteen: Sequence[CardSet], gifts: Sequence[Sequence[CardSet]]) -> bool:
    """Whether the deck is dealt, and three cards of each hand are given away."""
    return (
        sum(fourteen) == deck.DECK
        and [len(three) for three in gifts] == [3, 3, 3, 3]
        and all(
            first and sum(three).bit_count() == 3 and not (first | sum(three)) & ~hand
            for first, hand, three in zip(eight, fourteen, gifts, strict=True)
        )
    )


def _deal_findings(logged: LoggedRound) -> Iterator[Finding]:
    """What is wrong with the hands and the exchange."""
    parts = (("first eight", logged.eight, 8), ("fourteen", logged.fourteen, 14), ("exchange", logged.gifts, 3))
    for name, groups, count in parts:
        if not any(groups):
            yield Finding(Code.TOO_SHORT, -1, f"no {name}")
            continue
        if len(groups) != 4:
            yield Finding(Code.COUNT, -1, f"{name} of {len(groups)} seats")
        seen: set[Label] = set()
        for seat, labels in enumerate(groups):
            what = f"{name}, ({seat}): "
            if unknown := [label for label in labels if label not in CARDS]:
                yield _finding(Code.LABEL, -1, what + " ".join(unknown))
            if len(labels) != count:
                yield Finding(Code.COUNT, -1, f"{what}{len(labels)} cards")
            if len(set(labels)) < len(labels) or not seen.isdisjoint(labels):
                twice = {label for label in labels if label in seen or labels.count(label) > 1}
                yield _finding(Code.DUPLICATE, -1, what + " ".join(sorted(twice)))
            seen.update(labels)
    for name, groups in (("first eight", logged.eight), ("exchange", logged.gifts)):
        for seat, (labels, hand) in enumerate(zip(groups, logged.fourteen, strict=False)):
            if strange := [label for label in labels if label not in hand]:
                yield _finding(Code.NOT_IN_HAND, -1, f"{name}, ({seat}): {' '.join(strange)}")


# --- the result -------------------------------------------------------------------------------------------------------


def _replayed(position: _Position, score: tuple[int, int] | None) -> Replayed:
    """The figures of a position. Without a score they end where a receiver of the dragon was only assumed."""
    round, moves, lines = position.round, position.moves, position.lines
    bombs = [0, 0, 0, 0]
    count = 0
    wish = dragon = None
    for at, (seat, decision, answer) in enumerate(moves):
        if decision == "play" or decision == "bomb":
            count += 1
            bombs[seat] += answer[1] >> 16 == BOMB
        elif decision == "wish":
            wish = answer
        elif decision == "dragon" and lines[at] >= 0:
            dragon = (answer - seat) % 4
        elif decision == "dragon" and score is None:
            del moves[at:], lines[at:]
            break
    places = [4, 4, 4, 4]
    for place, seat in enumerate(round.finished, start=1):
        places[seat] = place
    return Replayed(
        findings=position.findings,
        usable=score is not None,
        score=score,
        first_eight=tuple([round.first_eight(seat) for seat in SEATS]),
        fourteen=tuple([round.fourteen(seat) for seat in SEATS]),
        moves=moves,
        lines=lines,
        calls=tuple([round.call(seat) for seat in SEATS]),
        places=tuple(places),
        bombs=tuple(bombs),
        bombs_held=position.bombs_held,
        tricks=position.tricks,
        moves_count=count,
        wish=wish,
        dragon=dragon,
        double_victory=round.double_victory,
    )


def _score_findings(logged: tuple[int, int] | None, own: tuple[int, int] | None, round: Round | None) -> list[Finding]:
    """What is wrong with the logged score: at most one thing."""
    if logged is None or logged == own:
        return []
    detail = f"logged {logged[0]} - {logged[1]}" + (f", computed {own[0]} - {own[1]}" if own else "")
    if own and round and logged in _without_a_grand(own, round):
        return [_finding(Code.GRAND_NOT_SCORED, -1, detail)]
    if logged not in _possible_scores():
        return [_finding(Code.SCORE_IMPOSSIBLE, -1, detail)]
    return [_finding(Code.SCORE_MISMATCH, -1, detail)] if own else []


def _without_a_grand(score: tuple[int, int], round: Round) -> Iterator[tuple[int, int]]:
    """The score less one call of a grand Tichu."""
    for seat in SEATS:
        if round.call(seat) == 2:
            worth = 200 if seat == round.finished[0] else -200
            yield (score[0], score[1] - worth) if seat & 1 else (score[0] - worth, score[1])


@cache
def _possible_scores() -> frozenset[tuple[int, int]]:
    """Every score that a round can have (rules 8)."""
    scores = set()
    points = [(points, 100 - points) for points in range(-25, 126, 5)]
    for calls in product((0, 100, 200), repeat=4):  # seat 0, or 1, is the first that goes out
        for first in (0, 1):
            worth = [call if seat == first else -call for seat, call in enumerate(calls)]
            double = (0, 200) if first else (200, 0)
            scores |= {(a + worth[0] + worth[2], b + worth[1] + worth[3]) for a, b in [*points, double]}
    return frozenset(scores)


def is_won(totals: Sequence[int]) -> bool:
    """Rules 8.6."""
    return max(totals) >= RULES.target_score and totals[0] != totals[1]


# --- words ------------------------------------------------------------------------------------------------------------


def _finding(code: Code, at: int, detail: str, *, corrected: bool = False) -> Finding:
    return Finding(code, at, detail[:200], corrected)


def _played(at: int, line: Line) -> CardSet:
    """The cards of a play."""
    cards = _sum(line.cards)
    if cards.bit_count() == len(line.cards) and cards:
        return cards
    if any(label not in CARDS for label in line.cards):
        raise _Impossible(Code.LABEL, at, _words(line))
    raise _Impossible(Code.DUPLICATE if line.cards else Code.COUNT, at, _words(line))


def _words(line: Line) -> str:
    """A line as a finding cites it."""
    return " ".join([f"({line.seat})", *(line.cards if line.kind == "play" else (line.kind,))])


def _labels(cards: CardSet) -> str:
    return deck.text(cards).replace("Z", "10")


def _named(names: Sequence[str]) -> str:
    return " ".join(f"({seat}){name}" for seat, name in enumerate(names))
