"""The figures of people: those of real games against counts of their own, and by hand."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from django.core.management import CommandError, call_command
from msgspec import json as msgspec_json

from arena.brettspielwelt.importing import import_logs
from arena.brettspielwelt.models import Game, Player, Round
from arena.brettspielwelt.statistics import Statistics, refresh_players, statistics, strength, text
from games.tichu import cards as deck
from tests.games.tichu import bsw

SAMPLES = Path(__file__).parents[2] / "data" / "bsw"
# Those in which every call was scored: elsewhere the logged score is not that of the rules.
GAMES = [SAMPLES / f"90000{number}.tch" for number in (1, 2, 3, 4)]
LOGS = [log for path in GAMES for log in bsw.logs(path)]
ENDS = [bsw.replay(log) for log in LOGS]

pytestmark = pytest.mark.django_db


@pytest.fixture
def found() -> Statistics:
    import_logs(GAMES)
    return statistics()


def callers(log: bsw.Log, start: str) -> set[int]:
    return {bsw.seat(line) for line in [*log.exchange, *log.play] if line.startswith(start)}


def calls() -> Counter[tuple[str, int, bool]]:
    """How often each seat has called what, and made it or not, by the lines of the logs and the order of going out."""
    counts: Counter[tuple[str, int, bool]] = Counter()
    for log, end in zip(LOGS, ENDS, strict=True):
        grand = callers(log, "Grosses Tichu: ")
        for seat in range(4):
            if seat in grand:
                counts["grand", seat, end.finished[0] == seat] += 1
            elif seat in callers(log, "Tichu: "):
                counts["tichu", seat, end.finished[0] == seat] += 1
    return counts


def differences() -> list[int]:
    return [log.score[0] - log.score[1] for log in LOGS]


# --- statistics -------------------------------------------------------------------------------------------------------


def test_all_rounds_of_whole_games_are_usable(found: Statistics) -> None:
    """10, 13, 7 and 8 rounds (samples), all games finished."""
    assert (found.games, found.finished_games, found.rounds, found.usable_rounds) == (4, 4, 38, 38)
    assert found.rounds_per_game == 38 / 4
    assert len(LOGS) == 38


@pytest.mark.parametrize("kind", ["tichu", "grand"])
def test_calls_are_those_of_the_lines(found: Statistics, kind: str) -> None:
    counts = calls()
    all = found.tichu if kind == "tichu" else found.grand_tichu
    made = sum(counts[kind, seat, True] for seat in range(4))
    called = made + sum(counts[kind, seat, False] for seat in range(4))
    assert called
    assert all.per_seat == called / 4 / 38
    assert all.made == made / called
    for number, seat in enumerate(found.seats):
        own = seat.tichu if kind == "tichu" else seat.grand_tichu
        assert own.per_seat == (counts[kind, number, True] + counts[kind, number, False]) / 38


def test_who_is_first_out_is_the_replayers(found: Statistics) -> None:
    first = Counter(end.finished[0] for end in ENDS)
    assert [seat.first_out for seat in found.seats] == [first[seat] / 38 for seat in range(4)]
    assert sum(end.double_victory for end in ENDS) / 38 == found.double_victories


def test_results_are_the_logged_ones(found: Statistics) -> None:
    assert found.results == dict(sorted(Counter(differences()).items()))
    assert found.mean_difference == pytest.approx(fmean(differences()))
    assert found.standard_deviation == pytest.approx(pstdev(differences()))
    assert found.mean_absolute_difference == pytest.approx(fmean(map(abs, differences())))


def test_wishes_are_the_lines(found: Statistics) -> None:
    """All cards of a round but the last hand are played, so the Mah Jong mostly; no line is no wish."""
    wished = Counter(
        bsw.RANKS[line.removeprefix("Wunsch:")] for log in LOGS for line in log.play if line.startswith("Wunsch:")
    )
    played = sum(bool(end.played & deck.MAH_JONG) for end in ENDS)
    assert found.wishes == {rank: wished[rank] for rank in range(2, 15)}
    assert found.without_wish == pytest.approx(1 - wished.total() / played)


def test_bombs_are_those_of_the_plays(found: Statistics) -> None:
    """Counted by the text: four cards with one rank, or five and more with one suit."""
    plays = [line.partition(" ")[2].split() for log in LOGS for line in log.play if line.startswith("(")]
    fours = sum(len(cards) == 4 and len({card[1:] for card in cards}) == 1 for cards in plays)
    flushes = sum(len(cards) > 4 and len({card[0] for card in cards}) == 1 for cards in plays)
    assert fours
    assert (found.bombs.four_of_a_kind, found.bombs.straight_flush) == (fours, flushes)
    assert found.bombs_per_round == (fours + flushes) / 38
    assert found.bomb_held == sum(any(line.startswith("BOMBE: ") for line in log.exchange) for log in LOGS) / 38


def test_passes_and_plays_are_moves_but_not_taking_a_trick(found: Statistics) -> None:
    """A line of somebody whose own play was the last one that no pass was takes the trick (brettspielwelt.md 4)."""
    moves = 0
    for log in LOGS:
        owner = -1
        for line in log.play:
            if line.startswith("("):
                passes = line.endswith("passt.")
                moves += not (passes and bsw.seat(line) == owner)
                owner = owner if passes else bsw.seat(line)
    assert found.moves_per_round == moves / 38


def test_gifts_are_followed_to_the_result(found: Statistics) -> None:
    """The dog, by the lines ``gibt:``; the result as the team of the giver sees it."""
    points: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for log, difference in zip(LOGS, differences(), strict=True):
        for line in log.exchange:
            if " gibt: " in line and ": Hu -" in line:
                way = [word.split()[-1] for word in line.partition(" gibt: ")[2].split(" -")[:3]].index("Hu")
                points[way].append(difference if bsw.seat(line) % 2 == 0 else -difference)
    gifts = found.gifts["dog"]
    for way, gift in enumerate((gifts.right, gifts.partner, gifts.left)):
        assert gift.count == len(points[way])
        assert gift.mean_result == (pytest.approx(fmean(points[way])) if points[way] else None)
    assert sum(map(len, points.values())) > 10


def test_the_dragon_goes_to_who_the_line_names(found: Statistics) -> None:
    """Of all that were given away a share went to p+3, the others to p+1."""
    left, right = (Round.objects.filter(dragon=way).count() for way in (3, 1))
    named = sum(line.startswith("Drache an: ") for log in LOGS for line in log.play)
    assert 0 < left + right <= named
    assert found.dragon_left == left / (left + right)
    assert found.dragon_right == right / (left + right)


def test_each_hand_has_a_strength(found: Statistics) -> None:
    """Of 38 rounds with four hands each; a seat with a grand Tichu cannot call the small one."""
    counts = calls()
    grand = sum(counts["grand", seat, made] for seat in range(4) for made in (True, False))
    assert sum(hands.count for hands in found.grand_tichu_by_strength.values()) == 4 * 38
    assert sum(hands.calls for hands in found.grand_tichu_by_strength.values()) == grand
    assert sum(hands.count for hands in found.tichu_by_strength.values()) == 4 * 38 - grand
    made = sum(counts["tichu", seat, True] for seat in range(4))
    assert sum(hands.made for hands in found.tichu_by_strength.values()) == made


def test_hands_after_the_exchange_are_measured(found: Statistics) -> None:
    """By the replayer's cards: the strength of all hands together, less those with a grand Tichu."""
    expected: dict[int, int] = Counter()
    for log in LOGS:
        start = bsw.start(log)
        for seat in set(range(4)) - callers(log, "Grosses Tichu: "):
            expected[strength(start.hand(seat))] += 1
    assert {value: hands.count for value, hands in found.tichu_by_strength.items()} == expected


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        ("Hu Ma S2 B3", 0),
        ("Dr Ph SA BA", 4),
        ("SA BA GA RA", 5),  # four aces and the bomb of them
        ("S2 S3 S4 S5 S6 S7 S8", 1),
        ("Ma S2 S3 S4 S5", 0),  # the Mah Jong has no suit
        ("S2 S3 S4 S5 Ph", 1),
        ("SZ SB SD SK SA", 2),
        ("S2 S3 S4 S5 S6 R2 R3 R4 R5 R6", 2),
        ("S2 B2 G2 R2", 1),
    ],
)
def test_high_cards_and_bombs_make_a_hand_strong(cards: str, value: int) -> None:
    assert strength(deck.parse(cards)) == value


def test_what_cannot_be_replayed_is_in_the_stock_only() -> None:
    """900006 is cut off in its tenth round."""
    import_logs([SAMPLES / "900006_truncated.tch"])
    found = statistics()
    assert (found.games, found.finished_games, found.rounds, found.usable_rounds) == (1, 0, 10, 9)
    assert sum(found.results.values()) == sum(hands.count for hands in found.grand_tichu_by_strength.values()) / 4 == 9
    assert found.rounds_per_game is None
    assert [(stock.year, stock.games, stock.rounds) for stock in found.stock] == [(None, 1, 10)]
    rows = {row.code: (row.games, row.rounds) for row in found.findings}
    assert rows["game_unfinished"] == (1, 0)
    assert rows["too_short"] == (1, 1)


def test_a_bomb_after_the_end_of_a_round_is_none(tmp_path: Path) -> None:
    """Some logs go on after the end (brettspielwelt.md 6): here with four fives and a flush that nobody can hold."""
    lines = GAMES[0].read_text(encoding="utf-8").splitlines()
    end = next(at for at, line in enumerate(lines) if line.startswith("Ergebnis: "))
    name = next(line for line in lines[:end] if line.startswith("(0)")).split()[0]
    changed = [*lines[:end], f"{name}: S5 B5 G5 R5 ", f"{name}: S2 S3 S4 S5 S6 ", lines[end]]
    for file, round in (("1.tch", lines[: end + 1]), ("2.tch", changed)):
        (tmp_path / file).write_text("\n".join(round), encoding="utf-8")
    import_logs([tmp_path / "1.tch"])
    before = statistics()
    Game.objects.all().delete()
    import_logs([tmp_path / "2.tch"])
    after = statistics()
    assert [row.code for row in after.findings if row.rounds] == ["too_long"]
    assert after.usable_rounds == 1
    assert (after.bombs, after.bombs_per_round) == (before.bombs, before.bombs_per_round)


def test_years_are_apart() -> None:
    import_logs(GAMES)
    Game.objects.filter(number__lte=900002).update(month="2008-03-01")
    Game.objects.filter(number=900003).update(month="2007-12-01")
    stock = [(row.year, row.games, row.finished_games, row.rounds) for row in statistics().stock]
    assert stock == [(2007, 1, 1, 7), (2008, 2, 2, 23), (None, 1, 1, 8)]


def test_the_pass_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.brettspielwelt.statistics.PASS", 15)
    import_logs(GAMES)
    shown: list[tuple[int, int]] = []
    found = statistics(lambda done, rounds: shown.append((done, rounds)))
    assert shown == [(15, 38), (30, 38), (38, 38)]
    monkeypatch.undo()
    assert found == statistics()


def test_of_nothing_there_is_nothing() -> None:
    found = statistics()
    assert found.usable_rounds == 0
    assert found.tichu.made is found.mean_difference is found.dragon_left is None
    assert any("–" in line for line in text(found))


# --- players ----------------------------------------------------------------------------------------------------------


def test_the_figures_of_players_are_those_of_the_logs() -> None:
    """By name: all calls of the four games; seats change names there, so the sum over all players counts."""
    import_logs(GAMES)
    refresh_players()
    counts = calls()
    fields = ("rounds", "tichu", "tichu_made", "grand", "grand_made", "games", "games_won")
    sums = {name: sum(Player.objects.values_list(name, flat=True)) for name in fields}
    kinds = {
        kind: [sum(counts[kind, seat, made] for seat in range(4)) for made in (True, False)]
        for kind in ("tichu", "grand")
    }
    assert sums == {
        "rounds": 4 * 38,
        "tichu": sum(kinds["tichu"]),
        "tichu_made": kinds["tichu"][0],
        "grand": sum(kinds["grand"]),
        "grand_made": kinds["grand"][0],
        "games": 4 * 4,
        "games_won": 2 * 4,
    }


def test_rounds_and_games_that_do_not_count_are_nobodys() -> None:
    """900006 is cut off in its tenth round, so nobody has won it."""
    import_logs([SAMPLES / "900006_truncated.tch"])
    elo = refresh_players()
    assert set(Player.objects.values_list("elo", "games", "games_won")) == {(1500, 0, 0)}
    assert sum(Player.objects.values_list("rounds", flat=True)) == 4 * 9
    assert elo.mean_squared_error is None


def test_the_winners_of_a_game_gain() -> None:
    """900001 ends 1025 - 875: team 20 gains half of 23.1 each."""
    import_logs(GAMES[:1])
    elo = refresh_players()
    game = Game.objects.get()
    assert (game.score_20, game.score_31) == (1025, 875)
    ratings = {seat.seat: seat.player.elo for seat in game.seats.select_related("player")}
    assert ratings == {0: 1511.55, 1: 1488.45, 2: 1511.55, 3: 1488.45}
    assert elo.mean_squared_error == 0.25
    assert set(Player.objects.filter(game_seats__seat__in=(0, 2)).values_list("games", "games_won")) == {(1, 1)}


def test_games_count_in_the_order_of_their_numbers() -> None:
    """Not in that of their import."""
    import_logs(GAMES)
    refresh_players()
    forwards = dict(Player.objects.values_list("name", "elo"))
    Game.objects.all().delete()
    for path in reversed(GAMES):
        import_logs([path])
    refresh_players()
    assert dict(Player.objects.values_list("name", "elo")) == forwards


def test_pieces_of_rounds_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import_logs(GAMES)
    refresh_players()
    whole = list(Player.objects.values())
    monkeypatch.setattr("arena.brettspielwelt.statistics.PIECE", 7)
    monkeypatch.setattr("arena.brettspielwelt.statistics.BATCH", 3)
    refresh_players()
    assert list(Player.objects.values()) == whole


def test_who_has_no_game_any_more_starts_anew() -> None:
    import_logs(GAMES)
    refresh_players()
    Game.objects.all().delete()
    refresh_players()
    assert Player.objects.exists()
    assert set(Player.objects.values_list("elo", "games", "rounds", "tichu")) == {(1500, 0, 0, 0)}


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_reference_beside() -> None:
    import_logs(GAMES)
    out = StringIO()
    call_command("bw_stats", stdout=out)
    lines = out.getvalue().splitlines()
    tichu = next(line for line in lines if line.startswith("Tichu calls per seat"))
    assert tichu.split()[-4:] == ["15.1", "%", "13.9", "%"]
    assert max(map(len, lines)) <= 100


def test_the_command_prints_json() -> None:
    import_logs(GAMES)
    out = StringIO()
    call_command("bw_stats", "--json", stdout=out)
    assert msgspec_json.decode(out.getvalue(), type=Statistics) == statistics()
    assert json.loads(out.getvalue())["gifts"]["dog"].keys() == {"right", "partner", "left"}


def test_the_command_says_that_nothing_is_imported() -> None:
    with pytest.raises(CommandError, match="bw_import"):
        call_command("bw_stats")
