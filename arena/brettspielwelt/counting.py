"""What the games of a month add up to.

    games of a month --count--> Counts, which can be added like those of the arena (:mod:`arena.tally`)

Only rounds that the rules can replay count, but for the stock, the findings and the standings. All of it takes one pass
over the logs, some thousand rounds at a time, so memory does not grow with their number and nothing is locked.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from django.db.models import QuerySet
from msgspec import field

from arena.brettspielwelt import log
from arena.brettspielwelt.log import Line, LoggedRound
from arena.brettspielwelt.models import Game, Round, RoundFinding, RoundSeat
from arena.brettspielwelt.replay import CARDS, is_won
from arena.tally import Sums
from games.tichu import cards as deck
from games.tichu.cards import CardSet

REVISION = 2  # another one whenever the same games have other counts or other statistics
PASS = 500  # games that are in memory
MOST_STANDINGS = 40  # rounds of a game whose standings are kept; one in many thousand is longer
BIN = 25  # points; what others than 0 stand in the middle of

_ACES: CardSet = 0xF << 4 * 14
_FIRST_SUITS: CardSet = 0x0111_1111_1111_1100  # the sword of each rank
GIFTS = {"dog": deck.DOG, "mah_jong": deck.MAH_JONG, "dragon": deck.DRAGON, "ace": _ACES}
_WATCHED = sum(GIFTS.values())

K = TypeVar("K", bound=Hashable)


class SeatCounts(Sums):
    """What the seats with one number did; ``tichu`` small calls, ``tichu_made`` of them made."""

    tichu: int = 0
    tichu_made: int = 0
    grand: int = 0
    grand_made: int = 0
    first_out: int = 0


class HandCounts(Sums):
    """Hands by strength (:func:`strength`): how many, with how many was called, how many of the calls were made."""

    hands: dict[int, int] = field(default_factory=dict)
    calls: dict[int, int] = field(default_factory=dict)
    made: dict[int, int] = field(default_factory=dict)


class Bombs(Sums):
    """How many were played of each kind."""

    four_of_a_kind: int = 0
    straight_flush: int = 0


class StandingCounts(Sums):
    """How finished games stood after the same number of rounds, those that were over before left out.

    :ivar games: that there were; ``winners``, ``losers``: points of those who have won and lost in the end.
    :ivar winners_bins: how many stood at which multiple of :data:`BIN` points; ``losers_bins`` likewise.
    """

    games: int = 0
    winners: int = 0
    losers: int = 0
    winners_bins: dict[int, int] = field(default_factory=dict)
    losers_bins: dict[int, int] = field(default_factory=dict)

    def add(self, winners: int, losers: int) -> None:
        self.games += 1
        self.winners += winners
        self.losers += losers
        _count(self.winners_bins, BIN * round(winners / BIN))
        _count(self.losers_bins, BIN * round(losers / BIN))


class Counts(Sums):
    """Sums over games. What a field of the same name in :class:`arena.brettspielwelt.statistics.Statistics` is a share
    or a mean of is counted here.

    :ivar flagged_games: with any finding.
    :ivar finished_rounds: of finished games.
    :ivar bomb_held: rounds in which somebody had a bomb after the exchange.
    :ivar wishes: by rank 2..14; [0] counts the Mah Jongs without a wish.
    :ivar rounds_by_bombs: how many rounds had so many bombs.
    :ivar gifts: by card (:data:`GIFTS`) and way (p+1, p+2, p+3): how often, and the points of the giver's team less
        those of the other.
    :ivar found_games: how many games have a finding, by its code; ``found_rounds`` how many rounds.
    :ivar standings: after 1, 2 ... rounds.
    """

    games: int = 0
    finished_games: int = 0
    flagged_games: int = 0
    rounds: int = 0
    finished_rounds: int = 0
    usable_rounds: int = 0
    tricks: int = 0
    moves: int = 0
    double_victories: int = 0
    bomb_held: int = 0
    dragon_left: int = 0
    dragon_right: int = 0
    wishes: dict[int, int] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)
    rounds_by_bombs: dict[int, int] = field(default_factory=dict)
    bombs: Bombs = field(default_factory=Bombs)
    seats: list[SeatCounts] = field(default_factory=lambda: [SeatCounts() for _ in range(4)])
    gifts: list[list[list[int]]] = field(default_factory=lambda: [[[0, 0] for _ in range(3)] for _ in GIFTS])
    tichu: HandCounts = field(default_factory=HandCounts)
    grand: HandCounts = field(default_factory=HandCounts)
    found_games: dict[str, int] = field(default_factory=dict)
    found_rounds: dict[str, int] = field(default_factory=dict)
    standings: list[StandingCounts] = field(default_factory=lambda: [StandingCounts() for _ in range(MOST_STANDINGS)])

    # --- counting -----------------------------------------------------------------------------------------------------

    def add_game(self, game: "_Game", rounds: Sequence["_Round"]) -> None:
        self.games += 1
        self.flagged_games += game.finding != ""
        self.rounds += game.rounds_count
        if game.is_finished:
            self.finished_games += 1
            self.finished_rounds += game.rounds_count
            self._add_standings([round.counted for round in rounds])

    def _add_standings(self, scores: Iterable[tuple[int, int]]) -> None:
        """
        :param scores: those of the rounds.
        """
        totals = [(0, 0)]
        for points in scores:
            if is_won(totals[-1]):
                break
            totals.append((totals[-1][0] + points[0], totals[-1][1] + points[1]))
        won = totals[-1][0] < totals[-1][1]
        for standing, total in zip(self.standings, totals[1:], strict=False):
            standing.add(total[won], total[not won])

    def add_findings(self, found: Iterable[tuple[str, int | None]]) -> None:
        """
        :param found: codes of a game, with the round or None.
        """
        rounds = defaultdict(set)
        for code, round in found:
            rounds[code].add(round)
        for code, places in rounds.items():
            _count(self.found_games, code)
            _count(self.found_rounds, code, len(places - {None}))

    def add_round(self, round: "_Round", seats: Sequence[tuple[int, int]]) -> None:
        """Counts a round that can be replayed.

        :param seats: call and place of each.
        """
        logged = log.unpack(bytes(round.data))
        difference = round.score_20 - round.score_31
        self.usable_rounds += 1
        self.tricks += round.tricks
        self.moves += round.moves
        self.double_victories += round.double_victory
        self.bomb_held += round.bombs_held > 0
        self.dragon_left += round.dragon == 3
        self.dragon_right += round.dragon == 1
        if round.wish is not None:
            _count(self.wishes, round.wish)
        _count(self.results, difference)
        _count(self.rounds_by_bombs, round.bombs)
        if round.bombs:
            for kind in islice(
                _bombs(logged.lines), round.bombs
            ):  # lines after the end of a round are none of its plays
                setattr(self.bombs, kind, getattr(self.bombs, kind) + 1)
        self._add_hands(logged, seats, difference)

    def _add_hands(self, logged: LoggedRound, seats: Sequence[tuple[int, int]], difference: int) -> None:
        gifts = [[CARDS[label] for label in three] for three in logged.gifts]
        for seat, (call, place) in enumerate(seats):
            first = place == 1
            counts = self.seats[seat]
            counts.first_out += first
            counts.tichu += call == 1
            counts.tichu_made += call == 1 and first
            counts.grand += call == 2
            counts.grand_made += call == 2 and first
            for way, card in enumerate(gifts[seat]):
                if card & _WATCHED:
                    self._add_gift(card, way, -difference if seat & 1 else difference)
            eight = sum([CARDS[label] for label in logged.eight[seat]])
            _add_hand(self.grand, strength(eight), called=call == 2, made=first)
            if call != 2:
                hand = sum([CARDS[label] for label in logged.fourteen[seat]]) - sum(gifts[seat])
                hand += gifts[seat - 1][0] + gifts[seat - 2][1] + gifts[seat - 3][2]
                _add_hand(self.tichu, strength(hand), called=call == 1, made=first)

    def _add_gift(self, card: CardSet, way: int, points: int) -> None:
        for ways, cards in zip(self.gifts, GIFTS.values(), strict=True):
            if card & cards:
                ways[way][0] += 1
                ways[way][1] += points


def strength(cards: CardSet) -> int:
    """How strong a hand is: one for each of dragon, phoenix, the aces and the bombs in it.

    A straight flush counts once for its suit, however long it is.

    >>> strength(deck.parse("Dr SA RA S2 B2 G2 R2 R3"))
    4
    """
    high = cards & (deck.DRAGON | deck.PHOENIX | _ACES)
    return high.bit_count() + _fours(cards).bit_count() + _flushes(cards).bit_count()


def _fours(cards: CardSet) -> CardSet:
    """A bit for each rank of which all four are there."""
    return cards & cards >> 1 & cards >> 2 & cards >> 3 & _FIRST_SUITS


def _flushes(cards: CardSet) -> CardSet:
    """A bit for each suit of which five cards in a row are there."""
    naturals = cards & deck.NATURALS
    runs = naturals & naturals >> 4 & naturals >> 8 & naturals >> 12 & naturals >> 16
    return sum([1 << suit for suit in range(4) if runs & _FIRST_SUITS << suit])


def _bombs(lines: Sequence[Line]) -> Iterator[str]:
    """The kinds of the bombs that were played. No other play is four of a rank, or five or more of a suit."""
    for line in lines:
        if len(line.cards) == 4 and len({label[1:] for label in line.cards}) == 1:
            yield "four_of_a_kind"
        elif len(line.cards) > 4 and len({label[0] for label in line.cards}) == 1:
            yield "straight_flush"


def _add_hand(counts: HandCounts, value: int, *, called: bool, made: bool) -> None:
    _count(counts.hands, value)
    _count(counts.calls, value, called)
    _count(counts.made, value, called and made)


def _count(counts: dict[K, int], key: K, times: int = 1) -> None:
    """Leaves out what there is none of, as sums do."""
    if times:
        counts[key] = counts.get(key, 0) + times


# --- the games of a month ---------------------------------------------------------------------------------------------


class _Game(NamedTuple):
    pk: int
    rounds_count: int
    is_finished: bool
    finding: str


class _Round(NamedTuple):
    """Columns of a round, and its record."""

    pk: int
    game_id: int
    is_usable: bool
    score_20: int
    score_31: int
    logged_20: int | None
    logged_31: int | None
    bombs: int
    bombs_held: int
    double_victory: bool
    tricks: int
    moves: int
    wish: int | None
    dragon: int | None
    data: bytes

    @property
    def counted(self) -> tuple[int, int]:
        """The score that the server counted; the computed one only where none is logged."""
        if self.logged_20 is not None and self.logged_31 is not None:
            return self.logged_20, self.logged_31
        return self.score_20 or 0, self.score_31 or 0


def count(games: QuerySet[Game], show: Callable[[int], object] = lambda rounds: None) -> Counts:
    """What these games add up to.

    :param show: is called now and then with how many rounds have been read.
    """
    counts = Counts()
    last = 0
    while piece := [_Game(*row) for row in games.filter(pk__gt=last).order_by("pk").values_list(*_Game._fields)[:PASS]]:
        last = piece[-1].pk
        _count_piece(counts, piece)
        show(counts.rounds)
    return counts


def _count_piece(counts: Counts, games: Sequence[_Game]) -> None:
    keys = [game.pk for game in games]
    rounds = defaultdict(list)
    columns = [*_Round._fields[:-1], "record__data"]
    for row in Round.objects.filter(game__in=keys).order_by("game_id", "number").values_list(*columns).iterator():
        rounds[row[1]].append(_Round(*row))
    seats = defaultdict(list)
    of_seats = RoundSeat.objects.filter(round__game__in=keys).order_by("round_id", "seat")
    for key, call, place in of_seats.values_list("round_id", "call", "place").iterator():
        seats[key].append((call, place))
    findings = defaultdict(list)
    of_findings = RoundFinding.objects.filter(game__in=keys).order_by()
    for key, code, round_id in of_findings.values_list("game_id", "code", "round_id").iterator():
        findings[key].append((code, round_id))
    for game in games:
        counts.add_game(game, rounds[game.pk])
        counts.add_findings(findings[game.pk])
        for round in rounds[game.pk]:
            if round.is_usable and len(seats[round.pk]) == 4:  # else it has gone while this reads
                counts.add_round(round, seats[round.pk])
