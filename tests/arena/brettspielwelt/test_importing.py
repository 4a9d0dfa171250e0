"""Logs into the database, by the real command and its workers (docs/brettspielwelt.md)."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Sequence
from datetime import date
from importlib import import_module
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection, models

from arena.brettspielwelt import importing, log, reading
from arena.brettspielwelt.importing import Count, Summary, import_logs
from arena.brettspielwelt.models import Game, GameSeat, Player, Record, Round, RoundFinding, RoundSeat, SeatChange
from arena.brettspielwelt.reading import ReadFile
from tests.arena.brettspielwelt.test_archive import zipped
from tests.arena.commands import Shell, until
from tests.server import ROOT

SAMPLES = ROOT / "tests" / "data" / "bsw"
WHOLE = [SAMPLES / f"90000{number}.tch" for number in range(1, 5)]
ALL = [Game, GameSeat, Player, Record, Round, RoundFinding, RoundSeat, SeatChange]

pytestmark = pytest.mark.django_db


def joined(*games: Path | bytes) -> bytes:
    """A collection."""
    return b"--END GAME--\n".join(game if isinstance(game, bytes) else game.read_bytes() for game in games)


def stored() -> dict[str, set[tuple[Any, ...]]]:
    """All there is, without the keys of rows and where it was read."""
    return {
        "games": set(Game.objects.values_list("key", "number", "month", "checksum", "rounds_count", "finding")),
        "rounds": set(Round.objects.values_list("game__key", "number", "record__data", "state", "score_20", "moves")),
        "seats": set(
            RoundSeat.objects.values_list("round__game__key", "round__number", "seat", "player__name", "call")
        ),
        "seat changes": set(SeatChange.objects.values_list("game__key", "seat", "since", "player__name")),
        "findings": set(RoundFinding.objects.values_list("game__key", "round__number", "code", "move", "corrected")),
    }


def test_the_samples_are_stored_round_by_round():
    """Of 69 rounds one is cut off, and two were scored by the server without a grand Tichu (issue 4, chapter 2)."""
    summary = import_logs([SAMPLES])
    assert (summary.files, summary.games, summary.rounds, summary.usable_rounds) == (13, 13, 69, 68)
    assert Round.objects.filter(is_usable=True).count() == 68
    equal = models.Q(score_20=models.F("logged_20"), score_31=models.F("logged_31"))
    assert Round.objects.filter(equal).count() == 66
    assert Round.objects.filter(state="grand_not_scored").count() == 2
    assert (RoundSeat.objects.count(), GameSeat.objects.count()) == (4 * 69, 4 * 13)


def test_a_round_keeps_its_figures():
    """The first round of 900001: Mah Jong, wish for 5; the dragon goes from seat 1 to seat 0; 25 - 75."""
    import_logs(WHOLE[:1])
    game = Game.objects.get()
    assert (game.key, game.number, game.rounds_count, game.is_finished) == ("900001", 900001, 10, True)
    round = game.rounds.first()
    assert round is not None
    assert (round.score_20, round.score_31, round.logged_20, round.logged_31) == (25, 75, 25, 75)
    assert (round.wish, round.dragon, round.bombs_held) == (5, 3, 1 << 2)
    assert [seat.player.name for seat in round.seats.order_by("seat")] == ["Nordwind", "Bär_77", "C.Moll!", "Ähre-9"]


MARK = "---------------Gr.Tichukarten"


def taken_over(number: int, since: int, until: int) -> Path | tuple[str, BytesIO]:
    """900001, where Saphir has the seat of Bär_77 in some rounds."""
    head, *rounds = WHOLE[0].read_text("utf-8").split(MARK)
    rounds[since - 1 : until - 1] = [round.replace("Bär_77", "Saphir") for round in rounds[since - 1 : until - 1]]
    return f"{number}.tch", BytesIO(MARK.join([head, *rounds]).encode())


def test_it_is_stored_who_took_over_a_seat_and_who_came_back():
    import_logs([*WHOLE, taken_over(5, 4, 20), taken_over(6, 4, 9)])
    changes = SeatChange.objects.order_by("game_id", "since").values_list(
        "game__number", "seat", "since", "player__name"
    )
    made_up = [(5, 1, 4, "Saphir"), (6, 1, 4, "Saphir"), (6, 1, 9, "Bär_77")]
    assert list(changes) == [(900004, 1, 4, "Rabe-X"), *made_up]


def test_what_was_stored_before_seat_changes_were_gets_its_own():
    """By the migration."""
    import_logs([SAMPLES, taken_over(5, 4, 20), taken_over(6, 4, 9)])
    before = stored()
    assert before["seat changes"]
    SeatChange.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(import_module("arena.brettspielwelt.migrations.0003_seat_changes").FILL)
    assert stored() == before


def test_a_record_is_what_was_read():
    """A log is written again from the stored fields."""
    import_logs(WHOLE[:1])
    records = [
        log.unpack(bytes(data)) for data in Record.objects.order_by("round__number").values_list("data", flat=True)
    ]
    assert log.write(records).encode() == WHOLE[0].read_bytes()


def test_reading_again_changes_nothing():
    """The import is idempotent."""
    import_logs([SAMPLES])
    before = {model: list(model._default_manager.order_by("pk").values()) for model in ALL}
    summary = import_logs([SAMPLES])
    assert (summary.games, summary.skipped, summary.findings) == (0, 13, {})
    assert {model: list(model._default_manager.order_by("pk").values()) for model in ALL} == before


def test_a_stored_file_is_not_even_parsed(monkeypatch):
    """A second run over the archive takes minutes, not hours."""
    import_logs(WHOLE)
    monkeypatch.setattr(log, "parse", lambda *_: pytest.fail("parsed again"))
    assert import_logs(WHOLE).skipped == 4


def test_a_changed_file_takes_the_place_of_the_old(tmp_path):
    """Same number, other checksum."""
    (tmp_path / "5.tch").write_bytes(WHOLE[0].read_bytes() + b"--END GAME--\n" + WHOLE[1].read_bytes())
    import_logs([tmp_path])
    assert sorted(Game.objects.values_list("key", flat=True)) == ["5", "5#2"]
    (tmp_path / "5.tch").write_bytes(WHOLE[2].read_bytes())
    summary = import_logs([tmp_path])
    assert (summary.games, summary.replaced) == (1, 1)
    assert list(Game.objects.values_list("key", "rounds_count")) == [("5", 7)]
    assert (Round.objects.count(), Record.objects.count(), RoundSeat.objects.count()) == (7, 7, 28)


def test_the_month_is_added_when_it_becomes_known(tmp_path):
    """A single file knows none; the zip of the year does."""
    import_logs([WHOLE[0]])
    place = zipped(tmp_path / "2007.zip", {"200703/900001.tch": WHOLE[0].read_bytes()})
    assert import_logs([place]).replaced == 1
    assert Game.objects.get().month == date(2007, 3, 1)
    assert import_logs([WHOLE[0]]).skipped == 1


def test_a_game_without_a_number_is_known_by_its_text():
    """The same game in a collection, with CRLF, or alone, is one game."""
    text = WHOLE[0].read_bytes()
    collection = text + b"--END GAME--\n\n" + WHOLE[1].read_bytes() + b"--END GAME--\n"
    import_logs([("some.tch", BytesIO(collection))])
    assert Game.objects.count() == 2
    again = [
        ("a.tch", BytesIO(text.replace(b"\n", b"\r\n"))),
        ("more.txt", BytesIO(collection + WHOLE[2].read_bytes())),
    ]
    summary = import_logs(again)
    assert (summary.games, summary.skipped) == (1, 3)


def test_a_round_of_a_collection_knows_its_line():
    """Somebody wants to look where a finding is."""
    first, second = WHOLE[0].read_bytes(), WHOLE[1].read_bytes()
    import_logs([("some.tch", BytesIO(first + b"--END GAME--\n" + second))])
    lines = [log.unpack(bytes(data)).line for data in Record.objects.order_by("pk").values_list("data", flat=True)]
    assert lines[10] == first.count(b"\n") + 2


def test_the_same_number_twice_is_stored_once(tmp_path):
    """A folder and the zip that was made of it."""
    members = {f"{path.stem}.tch": path.read_bytes() for path in WHOLE}
    summary = import_logs([zipped(tmp_path / "a.zip", members), *WHOLE])
    assert (summary.games, summary.skipped, Game.objects.count()) == (4, 4, 4)


def placed(tmp_path: Path, files: dict[str, Path | bytes]) -> list[Path]:
    """These files, and in which order an import comes by them: the folders that they lie in."""
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    return sorted({tmp_path / Path(name).parts[0] for name in files})


def rows() -> dict[type[models.Model], list[Any]]:
    """All there is, with the keys of rows."""
    return {model: list(model._default_manager.order_by("pk").values()) for model in ALL}


SEVERAL = {
    "other content": {"a/60.tch": WHOLE[0], "b/60.tch": WHOLE[2]},
    "other month": {"200701/60.tch": WHOLE[0], "200702/60.tch": WHOLE[0]},
    "another game in the first": {"a/60.tch": joined(WHOLE[0], WHOLE[1]), "b/60.tch": WHOLE[2]},
    "another game in the second": {"a/60.tch": WHOLE[2], "b/60.tch": joined(WHOLE[0], WHOLE[1])},
    "the same first game": {"a/60.tch": WHOLE[0], "b/60.tch": joined(WHOLE[0], WHOLE[1])},
    "nothing in the first": {"a/60.tch": b"", "b/60.tch": WHOLE[0]},
    "the first again": {"a/60.tch": WHOLE[0], "b/60.tch": WHOLE[1], "c/60.tch": WHOLE[0]},
    "no number, other month": {"200701/a.tch": WHOLE[0], "200702/a.tch": WHOLE[0]},
    "no number, other bytes": {"a/a.tch": WHOLE[0], "b/a.tch": WHOLE[0].read_text("utf-8").encode("cp1252")},
    "no number, other bytes and month": {
        "0/a.tch": WHOLE[0],
        "200701/a.tch": WHOLE[0].read_text("utf-8").encode("cp1252"),
    },
}


@pytest.mark.parametrize("files", SEVERAL.values(), ids=SEVERAL)
@pytest.mark.parametrize("window", [1, 64])
def test_of_several_files_with_a_number_the_first_is_stored_and_the_second_run_changes_nothing(
    tmp_path, monkeypatch, files, window
):
    """The games of a number come from one file, whether the files come in one window or not."""
    monkeypatch.setattr(importing, "WINDOW", window)
    places = placed(tmp_path, files)
    import_logs(places)
    before = rows()
    first = next(name for name, content in files.items() if content)
    assert {source.removeprefix(f"{tmp_path}/") for source in Game.objects.values_list("source", flat=True)} == {first}
    summary = import_logs(places)
    assert (summary.games, rows()) == (0, before)


def test_a_file_with_a_number_that_another_has_is_named(tmp_path):
    """Whoever has mixed up folders wants to know; the same file twice does no harm."""
    places = placed(tmp_path, {"a/60.tch": WHOLE[0], "b/60.tch": WHOLE[2], "c/60.tch": WHOLE[0]})
    for games, skipped in (1, 1), (0, 2):
        summary = import_logs(places)
        assert (summary.files, summary.games, summary.skipped) == (3, games, skipped)
        assert summary.broken == [(f"{tmp_path}/b/60.tch", f"number 60 was already read from {tmp_path}/a/60.tch")]


def test_the_first_of_an_import_wins_over_what_is_stored(tmp_path):
    """Also if the stored one comes later, in the same window or in another one."""
    a, b = placed(tmp_path, {"a/60.tch": WHOLE[0], "b/60.tch": WHOLE[2]})
    import_logs([b])
    summary = import_logs([a, b])
    assert (summary.games, summary.replaced, len(summary.broken)) == (1, 1, 1)
    assert Game.objects.get().source == f"{a}/60.tch"


def test_games_of_a_number_that_are_stored_from_two_files_are_read_again(tmp_path):
    """As an older import has left them behind."""
    (place,) = placed(tmp_path, {"a/60.tch": joined(WHOLE[0], WHOLE[1])})
    import_logs([place])
    Game.objects.filter(key="60#2").update(checksum="of another file")
    assert import_logs([place]).games == 2
    assert import_logs([place]).games == 0


def test_a_changed_file_of_an_unknown_month_keeps_that_of_the_old(tmp_path):
    """Somebody repairs a file, and imports it alone."""
    import_logs(placed(tmp_path, {"200701/60.tch": WHOLE[0]}))
    import_logs(placed(tmp_path / "repaired", {"60.tch": WHOLE[2]}))
    assert Game.objects.values_list("month", "rounds_count").get() == (date(2007, 1, 1), 7)


def test_numbers_that_were_read_take_little_memory():
    """The archive has 2.4 million."""
    tracemalloc.start()
    names = importing._Names()
    assert all(names.add(number) for number in range(1, 300_000))
    assert not any(names.add(number) for number in range(1, 300_000))
    assert names.add(2**31 - 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300_000


def test_a_repaired_file_without_a_number_loses_its_findings(tmp_path):
    """It is the same game, by the same key."""
    broken = WHOLE[0].read_bytes().replace(b" passt.", b" passt", 1)
    import_logs(placed(tmp_path, {"a/a.tch": broken}))
    assert [game.finding for game in Game.objects.all()] == ["unreadable"]
    assert import_logs(placed(tmp_path, {"a/a.tch": WHOLE[0]})).replaced == 1
    assert [game.finding for game in Game.objects.all()] == [""]
    assert not RoundFinding.objects.exists()


def test_games_that_nothing_stands_between_are_told_apart(tmp_path):
    """Where one is won and others sit down."""
    text = WHOLE[0].read_bytes() + WHOLE[1].read_bytes() + WHOLE[2].read_bytes()
    places = placed(tmp_path, {"a/60.tch": text, "a/all.tch": text})
    summary = import_logs(places)
    assert summary.games == 6
    games = Game.objects.filter(number=60).order_by("pk")
    assert list(games.values_list("key", "rounds_count", "finding")) == [
        ("60", 10, ""),
        ("60#2", 13, "names_differ"),
        ("60#3", 7, ""),
    ]
    records = Record.objects.filter(round__game__number=60).order_by("pk").values_list("data", flat=True)
    lines = text.split(b"\n")
    assert {lines[log.unpack(bytes(data)).line - 1] for data in records} == {MARK.encode() + b"-" * 18}
    assert import_logs(places).games == 0


def test_games_of_the_same_people_that_nothing_stands_between_are_one_that_was_played_on(tmp_path):
    import_logs(placed(tmp_path, {"a/60.tch": WHOLE[0].read_bytes() * 2}))
    game = Game.objects.get()
    assert (game.rounds_count, game.finding, game.score_20, game.score_31) == (20, "played_on", 1025, 875)


def test_findings_of_a_collection_know_their_line(tmp_path):
    """Somebody wants to look there."""
    text = joined(WHOLE[0], WHOLE[1].read_bytes().replace(b"(2)Rabe-X: R7 ", b"(2)Rabe-X:  R7 ", 1))
    import_logs(placed(tmp_path, {"a/a.tch": text}))
    detail = RoundFinding.objects.get(code="unreadable").detail
    line = text[: text.index(b"(2)Rabe-X:  R7")].count(b"\n") + 1
    assert detail.startswith(f"line {line}: ")


def test_bytes_that_are_no_utf_8_are_a_finding(tmp_path):
    """They are not written as they were read."""
    text = WHOLE[0].read_text("utf-8").encode("cp1252")
    summary = import_logs(placed(tmp_path, {"a/60.tch": text}))
    assert summary.findings["encoding"] == Count(rounds=10, rounds_corrected=10, games=1, games_corrected=1)
    assert summary.usable_rounds == 10
    assert Player.objects.filter(name="Bär_77").exists()


def test_control_characters_of_a_log_stay_out_of_findings_and_reasons(tmp_path):
    """They would be commands to a terminal."""
    text = WHOLE[0].read_bytes().replace(b"Schupfen:", b"\x1b]0;owned\x07\xc2\x9b31m")
    summary = import_logs(placed(tmp_path, {"a/60.tch": text, "a/\x1b[31m.tch": b"\x1b[2J\n"}))
    assert summary.broken == [(f"{tmp_path}/a/\ufffd[31m.tch", "line 1: \ufffd[2J")]
    details = RoundFinding.objects.filter(code="unreadable").values_list("detail", flat=True)
    assert "\ufffd]0;owned\ufffd\ufffd31m" in details[0]
    assert all(detail.isprintable() for detail in details)


def test_broken_files_stop_nothing_and_are_named(tmp_path):
    """An unreadable zip, a member whose checksum is wrong, an empty file, a page with an error."""
    broken = zipped(tmp_path / "b.zip", {"7.tch": WHOLE[0].read_bytes(), "8.tch": WHOLE[1].read_bytes()}, ZIP_STORED)
    broken.write_bytes(broken.read_bytes().replace(b"Nordwind", b"Suedwind", 1))
    (tmp_path / "a.zip").write_bytes(b"PK")
    (tmp_path / "1.tch").write_bytes(b"")
    (tmp_path / "2.tch").write_bytes(b"<html>Internal Server Error</html>")
    summary = import_logs([tmp_path])
    assert list(Game.objects.values_list("key", flat=True)) == ["8"]
    names = ["1.tch", "2.tch", "a.zip", "b.zip/7.tch"]
    assert sorted(name for name, _ in summary.broken) == [str(tmp_path / name) for name in names]
    assert summary.findings["empty"].games == 1


def test_an_error_of_this_program_stops_nothing(monkeypatch):
    """A hundred thousand games come after the one that nobody thought of."""

    def parse(data: bytes, first_line: int) -> Any:
        if data == WHOLE[1].read_bytes():
            raise RecursionError("nobody thought of this")
        return PARSE(data, first_line)

    PARSE = log.parse  # noqa: N806
    monkeypatch.setattr(log, "parse", parse)
    summary = import_logs(WHOLE)
    assert summary.games == 3
    assert summary.broken == [(str(WHOLE[1]), "RecursionError: nobody thought of this")]


def test_findings_are_counted_by_rounds_and_games():
    """What was corrected is told apart."""
    summary = import_logs([SAMPLES])
    found = RoundFinding.objects.filter(code="names_differ")
    count = summary.findings["names_differ"]
    assert (count.rounds, count.games) == (found.count(), found.values("game").distinct().count())
    assert count.rounds_corrected == found.filter(corrected=True).count() == count.rounds
    assert (summary.findings["too_short"].rounds, summary.findings["too_short"].rounds_corrected) == (1, 0)


@pytest.mark.slow
def test_workers_store_what_one_process_stores(tmp_path):
    """Parallel reading changes nothing, in whatever order it is done."""
    members = {f"200701/{number}.tch": WHOLE[number % 4].read_bytes() for number in range(1, 200)}
    place = zipped(tmp_path / "2007.zip", members)
    import_logs([place])
    alone = stored()
    keys = list(Game.objects.order_by("pk").values_list("key", flat=True))
    Game.objects.all().delete()
    import_logs([place], workers=2)
    assert stored() == alone
    assert list(Game.objects.order_by("pk").values_list("key", flat=True)) == keys


def test_workers_know_nothing_of_django():
    """They start quickly and are small."""
    program = "import sys, arena.brettspielwelt.reading; sys.exit(any('django' in name for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_a_window_is_stored_whole_or_not_at_all(monkeypatch):
    """Nothing is half-imported."""

    def insert(rows: Any, cursor: Any) -> None:
        if rows._model is RoundFinding:
            raise KeyboardInterrupt
        INSERT(rows, cursor)

    INSERT = importing._Rows.insert  # noqa: N806
    monkeypatch.setattr(importing._Rows, "insert", insert)
    with pytest.raises(KeyboardInterrupt):
        import_logs([SAMPLES])
    assert not any(model._default_manager.exists() for model in ALL)


def test_memory_of_names_is_bounded(monkeypatch):
    """The archive has 128,462 names."""
    monkeypatch.setattr(importing, "KNOWN_PLAYERS", 2)
    monkeypatch.setattr(importing, "WINDOW", 1)
    import_logs([SAMPLES])
    names = Player.objects.values_list("name", flat=True)
    assert len(names) == len(set(names)) > 10


def test_names_and_scores_that_no_column_takes_are_cut():
    """PostgreSQL takes no NUL, and no more characters than a column has."""
    text = WHOLE[0].read_bytes().replace("Bär_77".encode(), b"\0" + b"x" * 300)
    import_logs([("a\udcff.tch", BytesIO(text))])
    assert Player.objects.filter(name="\ufffd" + "x" * 99).exists()
    assert Game.objects.get().source == "a\ufffd.tch"
    records = [log.unpack(bytes(data)) for data in Record.objects.order_by("pk").values_list("data", flat=True)]
    assert log.write(records).encode() == text


def test_other_imports_may_have_stored_names_meanwhile():
    """An upload in the admin, while the command runs."""
    writer = importing._Writer(Summary())
    import_logs(WHOLE[:1])
    writer.store(read(WHOLE[:2]))
    assert Game.objects.count() == 2


def read(paths: Sequence[Path]) -> list[ReadFile]:
    return reading.read([source for source in importing.archive.logs(paths) if isinstance(source, reading.Source)])


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_table_of_findings():
    """Issue 4, chapter 1."""
    out = StringIO()
    call_command("bw_import", str(SAMPLES), stdout=out)
    head, _, _, *table = out.getvalue().splitlines()
    assert head == ("13 files: 13 games stored (0 replaced) with 69 rounds, 68 usable; 0 were there already; 0 broken")
    assert ["grand_not_scored", "2", "0", "2", "0"] in [line.split() for line in table]


def test_the_command_makes_the_figures_of_players_anew():
    """Lists of players show them."""
    call_command("bw_import", str(WHOLE[0]), "--workers", "0", stdout=StringIO())
    assert Player.objects.get(name="Nordwind").rounds == 10


@pytest.mark.parametrize(
    ("arguments", "says"), [(["none.tch"], "There is no none.tch"), ([str(SAMPLES), "--workers", "-1"], "at least 0")]
)
def test_wrong_arguments_are_said_in_a_line(arguments, says):
    """Before anything starts."""
    with pytest.raises(CommandError, match=says):
        call_command("bw_import", *arguments)


def test_a_folder_without_a_log_is_said(tmp_path, capsys):
    """Somebody may have mistaken the folder."""
    (tmp_path / "notes.txt").write_bytes(b"no log")
    call_command("bw_import", str(tmp_path), "--workers", "0", stdout=StringIO())
    assert f"No log was found in {tmp_path}." in capsys.readouterr().err


def test_a_summary_is_printed_when_the_import_cannot_go_on(monkeypatch):
    """What was stored stays, and somebody wants to know it."""
    monkeypatch.setattr(importing, "WINDOW", 1)

    def insert(rows: Any, cursor: Any) -> None:
        if Game.objects.count() == 2:
            raise OperationalError("database or disk is full")
        INSERT(rows, cursor)

    INSERT = importing._Rows.insert  # noqa: N806
    monkeypatch.setattr(importing._Rows, "insert", insert)
    out = StringIO()
    with pytest.raises(CommandError, match="database or disk is full"):
        call_command("bw_import", str(SAMPLES), "--workers", "0", stdout=out)
    assert out.getvalue().startswith("2 files: 1 games stored")
    assert Game.objects.count() == 1


@pytest.mark.slow
def test_three_times_ctrl_c_ends_an_import_without_a_traceback(shell: Shell, tmp_path: Path):
    """While it is ending, too."""
    members = {f"200701/{number}.tch": WHOLE[number % 4].read_bytes() for number in range(1, 700)}
    process = shell.start("bw_import", str(zipped(tmp_path / "2007.zip", members)), "--workers", "2")
    until(lambda: shell.execute("SELECT count(*) FROM brettspielwelt_game") > [(0,)])
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    said = shell.end(process, 130)
    assert "Traceback" not in said.err
    assert "games stored" in said.out


@pytest.mark.slow
def test_a_mixture_is_read_by_the_command_itself(shell: Shell, tmp_path: Path):
    """A folder, a zip, a file, a collection; twice, the second time in one process."""
    members = {"200701/1.tch": WHOLE[0].read_bytes(), "200702/2.tch": WHOLE[1].read_bytes()}
    collection = tmp_path / "games.txt"
    collection.write_bytes(WHOLE[2].read_bytes() + b"--END GAME--\n" + WHOLE[3].read_bytes())
    paths = [str(SAMPLES / "defects"), str(zipped(tmp_path / "a.zip", members)), str(WHOLE[0]), str(collection)]
    first = shell.run("bw_import", *paths, "--workers", "2", "--json").report
    assert (first["files"], first["games"], first["broken"]) == (12, 12, [])
    second = shell.run("bw_import", *paths, "--workers", "0", "--json").report
    assert (second["games"], second["skipped"]) == (0, 12)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_interrupted_import_goes_on(shell: Shell, tmp_path: Path, number: signal.Signals, status: int):
    """What is stored are whole games, and at the end it is all of them."""
    members = {f"200701/{number}.tch": WHOLE[number % 4].read_bytes() for number in range(1, 700)}
    command = ["bw_import", str(zipped(tmp_path / "2007.zip", members)), "--workers", "2", "--json"]
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=shell.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    until(lambda: shell.execute("SELECT count(*) FROM brettspielwelt_game") > [(0,)])
    # As a terminal sends Ctrl-C: to all of them.
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    said = shell.end(process, status)
    assert "Traceback" not in said.err
    until(lambda: not workers_of(process.pid))
    (first,) = shell.execute("SELECT count(*) FROM brettspielwelt_game")[0]
    assert 0 < first < 699
    halves = "SELECT g.id FROM brettspielwelt_game g JOIN brettspielwelt_round r ON r.game_id = g.id JOIN"
    halves += " brettspielwelt_roundseat s ON s.round_id = r.id GROUP BY g.id HAVING count(*) != 4 * g.rounds_count"
    assert shell.execute(halves) == []
    report = shell.run(*command).report
    assert (report["games"], report["skipped"]) == (699 - first, first)


def workers_of(group: int) -> list[str]:
    """What is left of a process group."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(status.parent.name)
    return found


def test_windows_on_their_way_are_few(monkeypatch, tmp_path):
    """Memory stays flat over 100,000 games: the archive is read no faster than it is stored."""
    taken = []

    def logs(places: Any) -> Any:
        for source in LOGS(places):
            taken.append(source.name)
            yield source

    LOGS = importing.archive.logs  # noqa: N806
    monkeypatch.setattr(importing.archive, "logs", logs)
    monkeypatch.setattr(importing, "WINDOW", 5)
    members = {f"{number}.tch": WHOLE[2].read_bytes() for number in range(1, 201)}
    ahead: list[int] = []
    import_logs(
        [zipped(tmp_path / "a.zip", members)],
        2,
        lambda summary: ahead.append(len(taken) - summary.games),
    )
    assert max(ahead) <= 2 * importing.AHEAD * 5
