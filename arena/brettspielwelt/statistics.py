"""What people do: the figures of all imported rounds, and of each player.

:class:`Statistics` is the JSON of ``manage.py bw_stats --json``: its fields are the keys, and they stay. What there was
nothing of is null. Shares are 0..1. The figures that others have published stand beside in :data:`FIGURES`.

Only rounds that the rules can replay count, but for the stock and the findings. What stands in columns the database
adds up; what only the logs say (hands, exchange, kinds of bombs) takes one pass over them, some thousand rounds at a
time, so memory does not grow with their number and nothing is locked.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import sqrt

from django.db import transaction
from django.db.models import Avg, Count, F, Max, Min, Q, Sum
from msgspec import Struct, field

from arena.brettspielwelt import log
from arena.brettspielwelt.elo import Elo
from arena.brettspielwelt.log import Line, LoggedRound
from arena.brettspielwelt.models import Game, GameSeat, Player, Record, Round, RoundFinding, RoundSeat
from arena.brettspielwelt.replay import CARDS
from arena.reporting import Calls
from games.tichu import cards as deck
from games.tichu.cards import CardSet

PIECE = 100_000  # rounds whose seats one query adds up
PASS = 5_000  # rounds whose logs are in memory
BATCH = 5_000  # players that one statement writes


class Seat(Struct):
    """What the seats with one number did.

    :ivar tichu: small calls; ``grand_tichu`` grand ones.
    :ivar first_out: in which share of the rounds it was the first to get rid of its cards.
    """

    tichu: Calls
    grand_tichu: Calls
    first_out: float | None


class Gift(Struct):
    """A card given away in the exchange in one direction.

    :ivar count: how often.
    :ivar mean_result: points of the giver's team less those of the other in these rounds.
    """

    count: int = 0
    mean_result: float | None = None


class Gifts(Struct):
    """By who got it: the ``right`` neighbour (p+1), the ``partner`` or the ``left`` one (p+3)."""

    right: Gift = field(default_factory=Gift)
    partner: Gift = field(default_factory=Gift)
    left: Gift = field(default_factory=Gift)


class Hands(Struct):
    """Hands of the same strength (:func:`strength`).

    :ivar count: of them; with how many was called, and how many of the calls were made.
    """

    count: int = 0
    calls: int = 0
    made: int = 0


class Bombs(Struct):
    """How many were played of each kind."""

    four_of_a_kind: int = 0
    straight_flush: int = 0


class Stock(Struct):
    """What there is of a year.

    :ivar year: null if no month is known.
    :ivar rounds: also those that cannot be replayed.
    """

    year: int | None
    games: int
    finished_games: int
    rounds: int


class Found(Struct):
    """How often something was wrong in a year.

    :ivar code: of :mod:`arena.brettspielwelt.findings`.
    :ivar games: with this finding; ``rounds`` with it, 0 for a finding about games.
    """

    year: int | None
    code: str
    games: int
    rounds: int


class Statistics(Struct, kw_only=True):
    """What people do.

    :ivar games: that are stored; ``finished_games`` of them were played to their end.
    :ivar rounds: that are stored; ``usable_rounds`` of them can be replayed. All that follows is about these.
    :ivar tichu: small calls per seat and round, and which share of them was made; ``grand_tichu`` grand ones.
    :ivar double_victories: in which share of the rounds both partners were out before both opponents.
    :ivar tricks_per_round: the dog is none.
    :ivar moves_per_round: plays and passes, without those that take a trick.
    :ivar mean_difference: points of team 20 less those of team 31 in a round, ``standard_deviation`` of them, and
        ``mean_absolute_difference`` without their sign.
    :ivar bombs_per_round: that were played.
    :ivar bomb_held: in which share of the rounds somebody had a bomb after the exchange.
    :ivar without_wish: which share of the Mah Jongs was played without a wish.
    :ivar dragon_left: which share of the dragons given away went to p+3; ``dragon_right`` to p+1.
    :ivar rounds_per_game: in finished games.
    :ivar wishes: how often each rank was wished, by rank "2".."14".
    :ivar bombs: played, by kind.
    :ivar seats: the four seats.
    :ivar gifts: what happened with "dog", "mah_jong", "dragon" and "ace" in the exchange.
    :ivar tichu_by_strength: hands of 14 cards after the exchange by strength, of seats without a grand Tichu.
    :ivar grand_tichu_by_strength: the first eight cards by strength.
    :ivar results: in how many rounds each difference (points of team 20 less those of team 31) came.
    :ivar stock: by year, the unknown one last.
    :ivar findings: by year and code.
    """

    games: int
    finished_games: int
    rounds: int
    usable_rounds: int
    tichu: Calls
    grand_tichu: Calls
    double_victories: float | None
    tricks_per_round: float | None
    moves_per_round: float | None
    mean_difference: float | None
    standard_deviation: float | None
    mean_absolute_difference: float | None
    bombs_per_round: float | None
    bomb_held: float | None
    without_wish: float | None
    dragon_left: float | None
    dragon_right: float | None
    rounds_per_game: float | None
    wishes: dict[int, int]
    bombs: Bombs
    seats: list[Seat]
    gifts: dict[str, Gifts]
    tichu_by_strength: dict[int, Hands]
    grand_tichu_by_strength: dict[int, Hands]
    results: dict[int, int]
    stock: list[Stock]
    findings: list[Found]


def statistics(show: Callable[[int, int], object] = lambda done, rounds: None) -> Statistics:
    """The figures of all that is stored.

    :param show: is called now and then with how many rounds have been read, and how many there are to read.
    """
    usable = Round.objects.filter(is_usable=True).order_by()
    sums = usable.aggregate(
        rounds=Count("pk"),
        double_victories=Count("pk", filter=Q(double_victory=True)),
        tricks=Sum("tricks"),
        moves=Sum("moves"),
        bombs=Sum("bombs"),
        bomb_held=Count("pk", filter=Q(bombs_held__gt=0)),
        left=Count("pk", filter=Q(dragon=3)),
        right=Count("pk", filter=Q(dragon=1)),
    )
    rounds = sums["rounds"]
    wishes = dict(usable.exclude(wish=None).values_list("wish").annotate(Count("pk")))
    results = dict(
        usable.annotate(difference=F("score_20") - F("score_31")).values_list("difference").annotate(Count("pk"))
    )
    mean = _share(sum(points * count for points, count in results.items()), rounds)
    squares = _share(sum(points * points * count for points, count in results.items()), rounds)
    games = Game.objects.aggregate(
        all=Count("pk"),
        finished=Count("pk", filter=Q(is_finished=True)),
        length=Avg("rounds_count", filter=Q(is_finished=True)),
    )
    seen = _Seen()
    for first, last in _ranges(PASS):
        _read(seen, first, last)
        show(seen.rounds, rounds)
    return Statistics(
        games=games["all"],
        finished_games=games["finished"],
        rounds=Round.objects.count(),
        usable_rounds=rounds,
        tichu=_calls(seen, range(4), 1),
        grand_tichu=_calls(seen, range(4), 2),
        double_victories=_share(sums["double_victories"], rounds),
        tricks_per_round=_share(sums["tricks"], rounds),
        moves_per_round=_share(sums["moves"], rounds),
        mean_difference=mean,
        standard_deviation=None if mean is None or squares is None else sqrt(squares - mean * mean),
        mean_absolute_difference=_share(sum(abs(points) * count for points, count in results.items()), rounds),
        bombs_per_round=_share(sums["bombs"], rounds),
        bomb_held=_share(sums["bomb_held"], rounds),
        without_wish=_share(wishes.get(0, 0), sum(wishes.values())),
        dragon_left=_share(sums["left"], sums["left"] + sums["right"]),
        dragon_right=_share(sums["right"], sums["left"] + sums["right"]),
        rounds_per_game=games["length"],
        wishes={rank: wishes.get(rank, 0) for rank in range(2, 15)},
        bombs=Bombs(**seen.bombs),
        seats=[
            Seat(_calls(seen, [seat], 1), _calls(seen, [seat], 2), _share(seen.first_out[seat], seen.rounds))
            for seat in range(4)
        ],
        gifts={
            name: Gifts(*[Gift(count, _share(points, count)) for count, points in ways])
            for name, ways in seen.gifts.items()
        },
        tichu_by_strength=dict(sorted(seen.tichu.items())),
        grand_tichu_by_strength=dict(sorted(seen.grand.items())),
        results=dict(sorted(results.items())),
        stock=_stock(),
        findings=_findings(),
    )


def strength(cards: CardSet) -> int:
    """How strong a hand is: one for each of dragon, phoenix, the aces and the bombs in it.

    A straight flush counts once for its suit, however long it is.

    >>> strength(deck.parse("Dr SA RA S2 B2 G2 R2 R3"))
    4
    """
    high = cards & (deck.DRAGON | deck.PHOENIX | _ACES)
    return high.bit_count() + _fours(cards).bit_count() + _flushes(cards).bit_count()


# --- what stands in columns -------------------------------------------------------------------------------------------


def _stock() -> list[Stock]:
    rows = (
        Game.objects.order_by(F("month__year").asc(nulls_last=True))
        .values_list("month__year")
        .annotate(games=Count("pk"), finished=Count("pk", filter=Q(is_finished=True)), all_rounds=Sum("rounds_count"))
    )
    return [Stock(*row) for row in rows]


def _findings() -> list[Found]:
    rows = (
        RoundFinding.objects.order_by(F("game__month__year").asc(nulls_last=True), "code")
        .values_list("game__month__year", "code")
        .annotate(games=Count("game", distinct=True), rounds=Count("round", distinct=True))
    )
    return [Found(*row) for row in rows]


def _ranges(size: int) -> Iterator[tuple[int, int]]:
    """The first and the last key of pieces of all rounds."""
    ends = Round.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is not None:
        for first in range(ends["first"], ends["last"] + 1, size):
            yield first, min(first + size - 1, ends["last"])


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


# --- what the logs say ------------------------------------------------------------------------------------------------

_ACES: CardSet = 0xF << 4 * 14
_FIRST_SUITS: CardSet = 0x0111_1111_1111_1100  # the sword of each rank
_GIFTS = {"dog": deck.DOG, "mah_jong": deck.MAH_JONG, "dragon": deck.DRAGON, "ace": _ACES}
_WATCHED = sum(_GIFTS.values())


class _Seen:
    """Counts while logs go by.

    :ivar calls: per seat of small and grand ones, ``made`` of those that were made.
    :ivar gifts: per way (p+1, p+2, p+3) how often, and the points of the giver's team less those of the other.
    """

    def __init__(self) -> None:
        self.rounds = 0
        self.calls = [[0, 0, 0] for _ in range(4)]
        self.made = [[0, 0, 0] for _ in range(4)]
        self.first_out = [0, 0, 0, 0]
        self.bombs = {"four_of_a_kind": 0, "straight_flush": 0}
        self.gifts = {name: [[0, 0] for _ in range(3)] for name in _GIFTS}
        self.tichu: defaultdict[int, Hands] = defaultdict(Hands)
        self.grand: defaultdict[int, Hands] = defaultdict(Hands)

    def add(self, logged: LoggedRound, seats: Sequence[tuple[int, int]], difference: int, bombs: int) -> None:
        """Counts a round.

        :param seats: call and place of each.
        :param difference: points of team 20 less those of team 31.
        :param bombs: how many were played.
        """
        self.rounds += 1
        gifts = [[CARDS[label] for label in three] for three in logged.gifts]
        for seat, (call, place) in enumerate(seats):
            first = place == 1
            self.first_out[seat] += first
            self.calls[seat][call] += 1
            self.made[seat][call] += first
            for way, card in enumerate(gifts[seat]):
                if card & _WATCHED:
                    self.gift(card, way, -difference if seat & 1 else difference)
            eight = sum([CARDS[label] for label in logged.eight[seat]])
            _count(self.grand[strength(eight)], called=call == 2, made=first)
            if call != 2:
                hand = sum([CARDS[label] for label in logged.fourteen[seat]]) - sum(gifts[seat])
                hand += gifts[seat - 1][0] + gifts[seat - 2][1] + gifts[seat - 3][2]
                _count(self.tichu[strength(hand)], called=call == 1, made=first)
        if bombs:
            for kind in islice(_bombs(logged.lines), bombs):  # lines after the end of a round are none of its plays
                self.bombs[kind] += 1

    def gift(self, card: CardSet, way: int, points: int) -> None:
        for name, cards in _GIFTS.items():
            if card & cards:
                self.gifts[name][way][0] += 1
                self.gifts[name][way][1] += points


def _read(seen: _Seen, first: int, last: int) -> None:
    """The rounds with these keys."""
    seats = defaultdict(list)
    for key, call, place in (
        RoundSeat.objects.filter(round__gte=first, round__lte=last)
        .order_by("round_id", "seat")
        .values_list("round_id", "call", "place")
    ):
        seats[key].append((call, place))
    rounds = Record.objects.filter(round__gte=first, round__lte=last, round__is_usable=True)
    difference = F("round__score_20") - F("round__score_31")
    for key, points, bombs, data in rounds.values_list("round_id", difference, "round__bombs", "data"):
        if key in seats:  # not if it came in between
            seen.add(log.unpack(bytes(data)), seats[key], points, bombs)


def _count(hands: Hands, *, called: bool, made: bool) -> None:
    hands.count += 1
    hands.calls += called
    hands.made += called and made


def _calls(seen: _Seen, seats: Sequence[int], kind: int) -> Calls:
    """
    :param kind: 1 Tichu, 2 grand Tichu.
    """
    calls = sum(seen.calls[seat][kind] for seat in seats)
    made = sum(seen.made[seat][kind] for seat in seats)
    return Calls(per_seat=_share(calls, seen.rounds * len(seats)), made=_share(made, calls))


def _bombs(lines: Sequence[Line]) -> Iterator[str]:
    """The kinds of the bombs that were played. No other play is four of a rank, or five or more of a suit."""
    for line in lines:
        if len(line.cards) == 4 and len({label[1:] for label in line.cards}) == 1:
            yield "four_of_a_kind"
        elif len(line.cards) > 4 and len({label[0] for label in line.cards}) == 1:
            yield "straight_flush"


def _fours(cards: CardSet) -> CardSet:
    """A bit for each rank of which all four are there."""
    return cards & cards >> 1 & cards >> 2 & cards >> 3 & _FIRST_SUITS


def _flushes(cards: CardSet) -> CardSet:
    """A bit for each suit of which five cards in a row are there."""
    naturals = cards & deck.NATURALS
    runs = naturals & naturals >> 4 & naturals >> 8 & naturals >> 12 & naturals >> 16
    return sum([1 << suit for suit in range(4) if runs & _FIRST_SUITS << suit])


# --- players ----------------------------------------------------------------------------------------------------------


def refresh_players() -> Elo[int]:
    """Makes all figures of all players anew.

    Games are those that were finished, and belong to whom their seats belonged to when they began; rounds are those
    that the rules can replay, and belong to who played them. Nothing is locked while this reads; then all players are
    written in one transaction. Memory grows with the number of players, not with that of rounds.

    :result: the ratings, by the keys of players.
    """
    elo, won = _play_games()
    calls = _count_calls()
    with transaction.atomic():
        for players in _chunks():
            for player in players:
                player.elo = elo.ratings.get(player.pk, player._meta.get_field("elo").default)
                player.games = elo.games.get(player.pk, 0)
                player.games_won = won.get(player.pk, 0)
                for name, count in zip(_FIGURES, calls.get(player.pk, _NOTHING), strict=True):
                    setattr(player, name, count)
            Player.objects.bulk_create(
                players,
                update_conflicts=True,
                unique_fields=["id"],
                update_fields=["elo", "games", "games_won", *_FIGURES],
            )
    return elo


_FIGURES = {
    "rounds": Count("pk"),
    "tichu": Count("pk", filter=Q(call=1)),
    "tichu_made": Count("pk", filter=Q(call=1, place=1)),
    "grand": Count("pk", filter=Q(call=2)),
    "grand_made": Count("pk", filter=Q(call=2, place=1)),
}
_NOTHING = [0] * len(_FIGURES)


def _play_games() -> tuple[Elo[int], dict[int, int]]:
    """The ratings after all finished games in the order of their numbers, and how many games each has won.

    Games without a number come last.
    """
    elo: Elo[int] = Elo()
    won: dict[int, int] = defaultdict(int)
    seats = (
        GameSeat.objects.filter(game__is_finished=True)
        .order_by(F("game__number").asc(nulls_last=True), "game_id", "seat")
        .values_list("player_id", F("game__score_20") - F("game__score_31"))
        .iterator()
    )
    for (zero, difference), (one, _), (two, _), (three, _) in zip(seats, seats, seats, seats, strict=True):
        elo.update((zero, two), (one, three), 0.5 if not difference else float(difference > 0))
        for player in () if not difference else (zero, two) if difference > 0 else (one, three):
            won[player] += 1
    return elo, won


def _count_calls() -> dict[int, list[int]]:
    """The figures of ``_FIGURES`` for each player.

    The database adds up piece by piece: for all at once it would have to sort all seats of rounds.
    """
    figures: dict[int, list[int]] = {}
    for first, last in _ranges(PIECE):
        rows = (
            RoundSeat.objects.filter(round__gte=first, round__lte=last, round__is_usable=True)
            .order_by()
            .values("player_id")
            .annotate(**{f"number_of_{name}": count for name, count in _FIGURES.items()})
            .values_list("player_id", *(f"number_of_{name}" for name in _FIGURES))
        )
        for player, *counts in rows:
            sums = figures.setdefault(player, _NOTHING)
            figures[player] = [one + other for one, other in zip(sums, counts, strict=True)]
    return figures


def _chunks() -> Iterator[list[Player]]:
    """All players, some at a time."""
    last = 0
    while players := list(Player.objects.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = players[-1].pk
        yield players


# --- for the terminal -------------------------------------------------------------------------------------------------

Number = float | None


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


class Figure(Struct, frozen=True):
    """A line of the table.

    :ivar of: what it shows.
    :ivar written: how.
    :ivar sample, archive: what 169 real rounds and the large archives have (docs/brettspielwelt.md).
    """

    label: str
    of: Callable[[Statistics], Number]
    written: Callable[[float], str]
    sample: Number = None
    archive: Number = None


_ONE = "{:,.1f}".format
FIGURES = (
    Figure("Tichu calls per seat", lambda all: all.tichu.per_seat, _percent, 0.151, 0.139),
    Figure("  made", lambda all: all.tichu.made, _percent, 0.755, 0.734),
    Figure("grand Tichu calls per seat", lambda all: all.grand_tichu.per_seat, _percent, 0.041, 0.078),
    Figure("  made", lambda all: all.grand_tichu.made, _percent, 0.607, 0.618),
    Figure("double victories", lambda all: all.double_victories, _percent, 0.213, 0.237),
    Figure("tricks per round", lambda all: all.tricks_per_round, _ONE, 11.2, 11.0),
    Figure("moves per round", lambda all: all.moves_per_round, _ONE, 57.0, 56.4),
    Figure("mean difference of the score", lambda all: all.mean_difference, "{:+.1f}".format, None, 7.4),
    Figure("  standard deviation", lambda all: all.standard_deviation, _ONE, None, 213.7),
    Figure("  mean without its sign", lambda all: all.mean_absolute_difference, _ONE, 149.8),
    Figure("bombs played per round", lambda all: all.bombs_per_round, "{:.2f}".format, 0.52, 0.44),
    Figure("rounds with a bomb in a hand", lambda all: all.bomb_held, _percent, 0.414, 0.379),
    Figure("Mah Jong without a wish", lambda all: all.without_wish, _percent, 0.217, 0.20),
    Figure("dragon to seat p+3", lambda all: all.dragon_left, _percent, 0.57, 0.63),
    Figure("dragon to seat p+1", lambda all: all.dragon_right, _percent, 0.43, 0.37),
    Figure("rounds per finished game", lambda all: all.rounds_per_game, _ONE, 10.1, 9.5),
)


def text(all: Statistics) -> Iterator[str]:
    """The statistics for a terminal, line by line."""
    yield f"{all.games:,} games, {all.finished_games:,} finished; {all.rounds:,} rounds, {all.usable_rounds:,} usable"
    yield ""
    yield _line("", "imported", "169 rounds", "archives")
    for figure in FIGURES:
        values = (figure.of(all), figure.sample, figure.archive)
        yield _line(figure.label, *(_number(value, figure.written) for value in values))
    yield ""
    yield _line("by seat", *"0123")
    yield _line("Tichu calls", *(_number(seat.tichu.per_seat, _percent) for seat in all.seats))
    yield _line("  made", *(_number(seat.tichu.made, _percent) for seat in all.seats))
    yield _line("grand Tichu calls", *(_number(seat.grand_tichu.per_seat, _percent) for seat in all.seats))
    yield _line("  made", *(_number(seat.grand_tichu.made, _percent) for seat in all.seats))
    yield _line("first out", *(_number(seat.first_out, _percent) for seat in all.seats))
    yield ""
    yield _line("given away, mean result", "right", "partner", "left")
    for name, gifts in all.gifts.items():
        ways = (gifts.right, gifts.partner, gifts.left)
        yield _line(
            name.replace("_", " "),
            *(f"{way.count:,}: {_number(way.mean_result, '{:+.1f}'.format)}" for way in ways),
        )
    for title, table in (("Tichu", all.tichu_by_strength), ("grand Tichu", all.grand_tichu_by_strength)):
        yield ""
        yield _line(f"{title} by high cards and bombs", "hands", "called", "made")
        for number, hands in table.items():
            calls, made = _share(hands.calls, hands.count), _share(hands.made, hands.calls)
            yield _line(str(number), f"{hands.count:,}", _number(calls, _percent), _number(made, _percent))
    yield ""
    yield _line("bombs of four", f"{all.bombs.four_of_a_kind:,}")
    yield _line("bombs of a straight flush", f"{all.bombs.straight_flush:,}")
    yield ""
    yield _line("wish", "times")
    for rank, count in all.wishes.items():
        yield _line(str(rank), f"{count:,}")
    yield ""
    yield _line("team 20 less team 31", "rounds")
    for points, count in all.results.items():
        yield _line(f"{points:+}", f"{count:,}")
    yield ""
    yield _line("year", "games", "finished", "rounds")
    for stock in all.stock:
        numbers = (stock.games, stock.finished_games, stock.rounds)
        yield _line(_year(stock.year), *(f"{number:,}" for number in numbers))
    if all.findings:
        yield ""
        yield _line("year, finding", "games", "rounds")
        for found in all.findings:
            yield _line(f"{_year(found.year)} {found.code}", f"{found.games:,}", f"{found.rounds:,}")


def _line(label: str, *cells: str) -> str:
    return f"{label:{_LABEL}}{''.join(f'{cell:>{_COLUMN}}' for cell in cells)}"


_LABEL, _COLUMN = 34, 16


def _year(year: int | None) -> str:
    return "unknown" if year is None else str(year)


def _number(value: Number, written: Callable[[float], str]) -> str:
    return "–" if value is None else written(value)
