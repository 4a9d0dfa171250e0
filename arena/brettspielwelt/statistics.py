"""What people do: the figures of all imported rounds.

    games of a month --counting--> its sums --+--> Statistics, stored for the page and the command
    players --ratings--> Elo -----------------+

:class:`Statistics` is the JSON of ``manage.py bw_stats --json``: its fields are the keys, and they stay. What there was
nothing of is null. Shares are 0..1. The figures that others have published stand beside in :data:`FIGURES`.
"""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from math import sqrt

from django.db.models import QuerySet, Sum
from msgspec import Struct, field, json

from arena.brettspielwelt.counting import GIFTS, REVISION, Bombs, Counts, HandCounts, SeatCounts, count
from arena.brettspielwelt.elo import NEWCOMER_GAMES, Elo
from arena.brettspielwelt.models import Figures, Game
from arena.brettspielwelt.players import refresh_players
from arena.reporting import Calls

RATING_BIN = 50  # points of Elo


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
    """Hands of the same strength (:func:`arena.brettspielwelt.counting.strength`).

    :ivar count: of them; with how many was called, and how many of the calls were made.
    """

    count: int = 0
    calls: int = 0
    made: int = 0


class Spread(Struct):
    """Of the points of a team in many games.

    :ivar low: a tenth of the games had at most so many, to 25 points; ``median`` half, ``high`` nine tenths of them.
    """

    mean: float
    low: int
    median: int
    high: int


class Standing(Struct):
    """How finished games stood after some rounds; those that were over before are left out.

    :ivar round: how many rounds.
    :ivar games: that had so many.
    :ivar winners: points of those who have won in the end; ``losers`` likewise.
    """

    round: int
    games: int
    winners: Spread
    losers: Spread


class Rated(Struct):
    """Players with about the same rating.

    :ivar players: with a game; ``experienced`` of them have at least 30.
    """

    players: int = 0
    experienced: int = 0


class Expected(Struct):
    """Games of which about the same was expected.

    :ivar expected: what team 20 was to score in them on average, 0..1; ``scored`` what it did.
    """

    expected: float
    scored: float
    games: int


class Ratings(Struct):
    """
    :ivar ratings: of players by Elo, to 50 points.
    :ivar mean_squared_error: of what was expected of team 20.
    :ivar calibration: from what was expected least to what was expected most.
    """

    ratings: dict[int, Rated]
    mean_squared_error: float | None
    calibration: list[Expected]


class Stock(Struct):
    """What there is of a year.

    :ivar year: null if no month is known.
    :ivar flagged_games: with a finding.
    :ivar rounds: also those that cannot be replayed.
    """

    year: int | None
    games: int
    finished_games: int
    flagged_games: int
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
    :ivar mah_jongs: that were played; ``wishes``: how often each rank was wished, by rank "2".."14".
    :ivar bombs: played, by kind.
    :ivar rounds_by_bombs: in how many rounds so many were played.
    :ivar seats: the four seats.
    :ivar gifts: what happened with "dog", "mah_jong", "dragon" and "ace" in the exchange.
    :ivar tichu_by_strength: hands of 14 cards after the exchange by strength, of seats without a grand Tichu.
    :ivar grand_tichu_by_strength: the first eight cards by strength.
    :ivar results: in how many rounds each difference (points of team 20 less those of team 31) came.
    :ivar cumulated: how finished games stood after 1, 2 ... rounds, by the scores that the server counted.
    :ivar elo: ratings of players, and how well they foretell results.
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
    mah_jongs: int
    wishes: dict[int, int]
    bombs: Bombs
    rounds_by_bombs: dict[int, int]
    seats: list[Seat]
    gifts: dict[str, Gifts]
    tichu_by_strength: dict[int, Hands]
    grand_tichu_by_strength: dict[int, Hands]
    results: dict[int, int]
    cumulated: list[Standing]
    elo: Ratings
    stock: list[Stock]
    findings: list[Found]


# --- counting anew ----------------------------------------------------------------------------------------------------


def stored() -> tuple[Statistics, datetime] | None:
    """What was counted last, and when; None if nothing was."""
    total = Figures.objects.filter(key=Figures.TOTAL, counted__startswith=_REVISION).first()
    return (json.decode(total.data, type=Statistics), total.updated) if total else None


def is_current() -> bool:
    """Whether games have neither come nor gone since."""
    return Figures.objects.filter(key=Figures.TOTAL, counted=_total_version(_versions())).exists()


def refresh(show: Callable[[int, int], object] = lambda done, rounds: None) -> Statistics:
    """Counts anew what has changed: months whose games have come or gone, and if there are any, the players.

    A month is stored as soon as it is counted, so whoever goes on after an interruption goes on with the next one. What
    comes or goes while this reads makes its month change again.

    :param show: is called now and then with how many rounds have been read, and how many there are to read.
    """
    if is_current() and (last := stored()):
        return last[0]
    versions = _versions()
    counted = dict(Figures.objects.values_list("key", "counted"))
    changed = {key: _REVISION + version for key, version in versions.items() if counted[key] != _REVISION + version}
    games = {key: _games_of(key) for key in changed}
    rounds = sum(games.aggregate(all=Sum("rounds_count"))["all"] or 0 for games in games.values())
    done = 0
    show(done, rounds)
    for key, version in changed.items():
        counts = count(games[key], lambda read: show(done + read, rounds))  # noqa: B023 - it is called at once
        done += counts.rounds
        _store(key, version, counts)
    elo = _ratings(refresh_players())
    months = {
        key: json.decode(data, type=Counts)
        for key, data in Figures.objects.filter(key__in=versions).order_by("key").values_list("key", "data")
    }
    found = _statistics(months, elo)
    _store(Figures.TOTAL, _total_version(versions), found)
    return found


_REVISION = f"{REVISION}:"


def _versions() -> dict[str, str]:
    """Of all months."""
    return dict(Figures.objects.exclude(key=Figures.TOTAL).order_by("key").values_list("key", "version"))


def _total_version(versions: dict[str, str]) -> str:
    return _REVISION + sha256(json.encode(versions)).hexdigest()


def _games_of(key: str) -> QuerySet[Game]:
    return Game.objects.filter(month=f"{key}-01" if key else None)


def _store(key: str, counted: str, data: Counts | Statistics) -> None:
    """Other fields stay as they are."""
    row = Figures(key=key, counted=counted, data=json.encode(data).decode())
    Figures.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["key"], update_fields=["counted", "data", "updated"]
    )


# --- from sums to statistics ------------------------------------------------------------------------------------------


def _statistics(months: dict[str, Counts], elo: Ratings) -> Statistics:
    years: dict[int | None, Counts] = {}
    for key, counts in months.items():
        year = int(key[:4]) if key else None
        years[year] = years.get(year, Counts()) + counts
    all = sum(years.values(), Counts())
    rounds, dragons = all.usable_rounds, all.dragon_left + all.dragon_right
    mean = share(sum(points * times for points, times in all.results.items()), rounds)
    squares = share(sum(points * points * times for points, times in all.results.items()), rounds)
    seats = sum(all.seats, SeatCounts())
    mah_jongs = sum(all.wishes.values())
    return Statistics(
        games=all.games,
        finished_games=all.finished_games,
        rounds=all.rounds,
        usable_rounds=rounds,
        tichu=_calls(seats.tichu, seats.tichu_made, 4 * rounds),
        grand_tichu=_calls(seats.grand, seats.grand_made, 4 * rounds),
        double_victories=share(all.double_victories, rounds),
        tricks_per_round=share(all.tricks, rounds),
        moves_per_round=share(all.moves, rounds),
        mean_difference=mean,
        standard_deviation=None if mean is None or squares is None else sqrt(squares - mean * mean),
        mean_absolute_difference=share(sum(abs(points) * times for points, times in all.results.items()), rounds),
        bombs_per_round=share(all.bombs.four_of_a_kind + all.bombs.straight_flush, rounds),
        bomb_held=share(all.bomb_held, rounds),
        without_wish=share(all.wishes.get(0, 0), mah_jongs),
        dragon_left=share(all.dragon_left, dragons),
        dragon_right=share(all.dragon_right, dragons),
        rounds_per_game=share(all.finished_rounds, all.finished_games),
        mah_jongs=mah_jongs,
        wishes={rank: all.wishes.get(rank, 0) for rank in range(2, 15)},
        bombs=all.bombs,
        rounds_by_bombs=dict(sorted(all.rounds_by_bombs.items())),
        seats=[
            Seat(
                _calls(seat.tichu, seat.tichu_made, rounds),
                _calls(seat.grand, seat.grand_made, rounds),
                share(seat.first_out, rounds),
            )
            for seat in all.seats
        ],
        gifts={
            name: Gifts(*[Gift(times, share(points, times)) for times, points in ways])
            for name, ways in zip(GIFTS, all.gifts, strict=True)
        },
        tichu_by_strength=_hands(all.tichu),
        grand_tichu_by_strength=_hands(all.grand),
        results=dict(sorted(all.results.items())),
        cumulated=[
            Standing(
                number,
                standing.games,
                _spread(standing.winners, standing.winners_bins),
                _spread(standing.losers, standing.losers_bins),
            )
            for number, standing in enumerate(all.standings, 1)
            if standing.games
        ],
        elo=elo,
        stock=[
            Stock(year, counts.games, counts.finished_games, counts.flagged_games, counts.rounds)
            for year, counts in _in_order(years)
        ],
        findings=[
            Found(year, code, counts.found_games[code], counts.found_rounds.get(code, 0))
            for year, counts in _in_order(years)
            for code in sorted(counts.found_games)
        ],
    )


def _in_order(years: dict[int | None, Counts]) -> list[tuple[int | None, Counts]]:
    """The unknown one last; without those whose games have gone."""
    return sorted(
        ((year, counts) for year, counts in years.items() if counts.games),
        key=lambda item: (item[0] is None, item[0]),
    )


def share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _calls(calls: int, made: int, hands: int) -> Calls:
    return Calls(per_seat=share(calls, hands), made=share(made, calls))


def _hands(counts: HandCounts) -> dict[int, Hands]:
    return {
        value: Hands(times, counts.calls.get(value, 0), counts.made.get(value, 0))
        for value, times in sorted(counts.hands.items())
    }


def _spread(points: int, bins: dict[int, int]) -> Spread:
    games = sum(bins.values())
    return Spread(points / games, *(_quantile(bins, share) for share in (0.1, 0.5, 0.9)))


def _quantile(bins: dict[int, int], share: float) -> int:
    """The lowest bin at which so great a share of the games stood, or below.

    >>> [_quantile({0: 1, 100: 8, 200: 1}, share) for share in (0.1, 0.5, 0.9)]
    [0, 100, 100]
    """
    wanted = share * sum(bins.values())
    for points, games in sorted(bins.items()):
        wanted -= games
        if wanted <= 1e-9:
            return points
    raise ValueError("no games")


def _ratings(elo: Elo[int]) -> Ratings:
    ratings: dict[int, Rated] = {}
    for player, rating in elo.ratings.items():
        rated = ratings.setdefault(RATING_BIN * round(rating / RATING_BIN), Rated())
        rated.players += 1
        rated.experienced += elo.games[player] >= NEWCOMER_GAMES
    calibration = [
        Expected(bin.expected / bin.games, bin.scored / bin.games, bin.games) for bin in elo.bins if bin.games
    ]
    return Ratings(dict(sorted(ratings.items())), elo.mean_squared_error, calibration)


# --- beside what others have published --------------------------------------------------------------------------------

Number = float | None
percent = "{:.1%}".format


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
    Figure("Tichu calls per seat", lambda all: all.tichu.per_seat, percent, 0.151, 0.139),
    Figure("  made", lambda all: all.tichu.made, percent, 0.755, 0.734),
    Figure("grand Tichu calls per seat", lambda all: all.grand_tichu.per_seat, percent, 0.041, 0.078),
    Figure("  made", lambda all: all.grand_tichu.made, percent, 0.607, 0.618),
    Figure("double victories", lambda all: all.double_victories, percent, 0.213, 0.237),
    Figure("tricks per round", lambda all: all.tricks_per_round, _ONE, 11.2, 11.0),
    Figure("moves per round", lambda all: all.moves_per_round, _ONE, 57.0, 56.4),
    Figure("mean difference of the score", lambda all: all.mean_difference, "{:+.1f}".format, None, 7.4),
    Figure("  standard deviation", lambda all: all.standard_deviation, _ONE, None, 213.7),
    Figure("  mean without its sign", lambda all: all.mean_absolute_difference, _ONE, 149.8),
    Figure("bombs played per round", lambda all: all.bombs_per_round, "{:.2f}".format, 0.52, 0.44),
    Figure("rounds with a bomb in a hand", lambda all: all.bomb_held, percent, 0.414, 0.379),
    Figure("Mah Jong without a wish", lambda all: all.without_wish, percent, 0.217, 0.20),
    Figure("dragon to seat p+3", lambda all: all.dragon_left, percent, 0.57, 0.63),
    Figure("dragon to seat p+1", lambda all: all.dragon_right, percent, 0.43, 0.37),
    Figure("rounds per finished game", lambda all: all.rounds_per_game, _ONE, 10.1, 9.5),
)
