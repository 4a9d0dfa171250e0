"""Fetching logs, from a server on loopback that fails in all ways; the real one is never asked."""

import itertools
import os
import pty
import random
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from arena.brettspielwelt import archive, download
from arena.brettspielwelt.archive import Source
from arena.brettspielwelt.download import Downloader, DownloadError, Month, months
from tests.arena.brettspielwelt import archive_server
from tests.arena.brettspielwelt.archive_server import Answer, ArchiveServer, status
from tests.arena.commands import until
from tests.server import ROOT

SAMPLES = sorted((ROOT / "tests" / "data" / "bsw").glob("*.tch"))
JANUARY, FEBRUARY = date(2007, 1, 1), date(2007, 2, 1)


def log(text: str) -> bytes:
    """What begins like one."""
    return f"---------------Gr.Tichukarten------------------\n{text}\n".encode()


GAMES = {number: path.read_bytes() for number, path in enumerate(SAMPLES, start=1)}


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with ArchiveServer() as server:
        server.put("200701", GAMES)
        yield server


@pytest.fixture
def fetch(server: ArchiveServer, tmp_path: Path) -> Callable[..., Month]:
    """Fetches a month, each time as a new run, without patience."""

    def fetch(first: date = JANUARY, **options: object) -> Month:
        settings = {"rate": 10_000, "timeout": 0.3, "retries": 3, "backoff": 0.01, **options}
        with Downloader(tmp_path, server.url, **settings) as downloader:
            return downloader.fetch(first)

    return fetch


def packed(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as file:
        assert file.testzip() is None
        names = file.namelist()
        assert len(names) == len(set(names))
        return {name: file.read(name) for name in names}


def members(month: str, games: dict[int, bytes], server: ArchiveServer) -> dict[str, bytes]:
    """What the zip has of a month that is complete."""
    return {
        **{f"{month}/{number}.tch": log for number, log in games.items()},
        f"{month}/index.html": server.pages[f"/{month}"],
    }


# --- what lies on the disk ------------------------------------------------------------------------------------------


def test_a_month_is_packed_into_the_zip_of_its_year_byte_for_byte(fetch, server, tmp_path):
    """brettspielwelt.md 1: members <YYYYMM>/<id>.tch plus <YYYYMM>/index.html."""
    month = fetch()
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)
    assert (month.listed, month.there, month.fetched, month.is_packed, month.faults) == (6, 6, 6, True, [])
    assert [path.name for path in tmp_path.iterdir()] == ["2007.zip"]


def test_months_of_a_year_share_a_zip_and_years_do_not(fetch, server, tmp_path):
    server.put("200712", {10: log("ten")})
    server.put("200801", {11: log("eleven")})
    for first in JANUARY, date(2007, 12, 1), date(2008, 1, 1):
        fetch(first)
    assert packed(tmp_path / "2007.zip") == {
        **members("200701", GAMES, server),
        **members("200712", {10: log("ten")}, server),
    }
    assert packed(tmp_path / "2008.zip") == members("200801", {11: log("eleven")}, server)


def test_empty_games_are_kept(fetch, server, tmp_path):
    """brettspielwelt.md 6: 13,964 files are empty."""
    server.put("200702", {20: b"", 21: log("x")})
    assert fetch(FEBRUARY).there == 2
    assert packed(tmp_path / "2007.zip")["200702/20.tch"] == b""


def test_an_index_that_is_no_utf_8_is_read_and_kept_as_it_is(fetch, server, tmp_path):
    """brettspielwelt.md 1: index pages of 2014-09 to 2018-01."""
    with pytest.raises(UnicodeDecodeError):
        server.pages["/200701"].decode()
    fetch()
    assert packed(tmp_path / "2007.zip")["200701/index.html"] == server.pages["/200701"]


def test_an_archive_from_elsewhere_is_completed(fetch, server, tmp_path):
    with ZipFile(tmp_path / "2007.zip", "w") as file:
        file.writestr("200701/1.tch", GAMES[1])
        file.writestr("readme.txt", b"mine")
    assert fetch().fetched == len(GAMES) - 1
    assert packed(tmp_path / "2007.zip") == {**members("200701", GAMES, server), "readme.txt": b"mine"}
    assert server.asked["/1.tch"] == 0


def test_an_import_finds_months_that_are_over_and_the_one_that_is_not(fetch, server, tmp_path):
    """Each game with its number and its month."""
    server.put("200702", {10: log("ten")})
    fetch()
    fetch(FEBRUARY, today=lambda: date(2007, 2, 20))
    found = [source for source in archive.logs([tmp_path]) if isinstance(source, Source)]
    assert {source.number: (source.month, source.data) for source in found} == {
        **{number: (JANUARY, log) for number, log in GAMES.items()},
        10: (FEBRUARY, log("ten")),
    }
    assert {entry.number for entry in archive.index(server.pages["/200701"])} == GAMES.keys()


def test_a_damaged_zip_is_left_alone_and_named(fetch, server, tmp_path):
    (tmp_path / "2007.zip").write_bytes(b"PK, but not for long")
    with pytest.raises(DownloadError, match=r"2007\.zip is damaged"):
        fetch()
    assert (tmp_path / "2007.zip").read_bytes() == b"PK, but not for long"
    assert not server.asked


def test_a_folder_belongs_to_one_download_at_a_time(fetch, server, tmp_path):
    with Downloader(tmp_path, server.url), pytest.raises(DownloadError, match="Another download"):
        fetch()
    assert fetch().is_packed


# --- what is asked for ----------------------------------------------------------------------------------------------


def test_what_is_in_the_zip_is_not_asked_for_again(fetch, server):
    fetch()
    server.asked.clear()
    assert fetch() == Month(JANUARY, listed=6, there=6, fetched=0, is_packed=True)
    assert not server.asked


def test_a_month_that_is_not_over_is_not_packed_and_its_index_is_asked_for_again(fetch, server, tmp_path):
    """A day later it is over everywhere, and games of its last evening are listed."""
    today = date(2007, 2, 1)
    assert not fetch(today=lambda: today).is_packed
    assert not (tmp_path / "2007.zip").exists()
    assert (tmp_path / "unfinished" / "200701" / "1.tch").read_bytes() == GAMES[1]
    server.put("200701", {**GAMES, 7: log("the last evening")})
    today = date(2007, 2, 2)
    month = fetch(today=lambda: today)
    assert (month.there, month.fetched, month.is_packed) == (7, 1, True)
    assert packed(tmp_path / "2007.zip") == members("200701", {**GAMES, 7: log("the last evening")}, server)
    assert server.asked["/1.tch"] == 1


def test_requests_keep_to_the_rate_and_say_who_asks(fetch, server):
    """Each begins at least a twentieth of a second after the one before; a log without a last LF is asked for twice."""
    fetch(rate=20)
    gaps = [after - before for before, after in zip(server.times, server.times[1:], strict=False)]
    assert len(gaps) == 7
    assert min(gaps) > 0.04
    assert server.agents == {f"tichu/{version('tichu')}"}


def test_the_first_retry_keeps_to_the_rate_too(fetch, server):
    server.faults["/200701"] = [status(503)]
    fetch(rate=20)
    assert server.times[1] - server.times[0] > 0.04


def test_months_go_over_the_end_of_a_year():
    assert list(months(date(2007, 11, 1), date(2008, 2, 1))) == [
        date(2007, 11, 1),
        date(2007, 12, 1),
        date(2008, 1, 1),
        date(2008, 2, 1),
    ]


# --- a server that fails --------------------------------------------------------------------------------------------

PASSING = [
    status(500),
    status(502),
    status(503),
    status(429),
    *(getattr(archive_server, name) for name in ("stall", "silence", "cut", "hang_up", "too_long", "babble")),
]


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.__qualname__)
@pytest.mark.parametrize("path", ["/200701", "/3.tch"])
def test_a_passing_fault_costs_a_retry_and_nothing_else(fetch, server, tmp_path, fault: Answer, path):
    server.faults[path] = [fault, fault]
    assert fetch().faults == []
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)
    assert server.asked[path] == 3


def test_a_server_that_says_when_to_come_back_is_left_alone_until_then(fetch, server):
    """RFC 9110, 10.2.3."""
    server.faults["/200701"] = [status(429, Retry_After="1")]
    fetch()
    assert server.times[1] - server.times[0] >= 1


def test_retries_wait_twice_as_long_each_time(fetch, server):
    server.faults["/200701"] = [status(500)] * 3
    fetch(backoff=0.05)
    first, second, third = (server.times[place + 1] - server.times[place] for place in range(3))
    assert first >= 0.05
    assert second >= 0.1
    assert third >= 0.2


def test_a_game_that_is_refused_for_ever_is_named_and_asked_for_by_the_next_run(fetch, server, tmp_path):
    """brettspielwelt.md 1: an id that is not there answers HTTP 500."""
    log = server.pages.pop("/3.tch")
    month = fetch()
    assert month.faults == [f"{server.url}/3.tch: the answer is 500 Internal Server Error"]
    assert server.asked["/3.tch"] == 4
    assert (month.there, month.is_packed) == (5, True)
    assert "200701/3.tch" not in packed(tmp_path / "2007.zip")
    server.pages["/3.tch"] = log
    server.asked.clear()
    assert fetch().fetched == 1
    assert server.asked == {"/3.tch": 1}
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)


def test_a_game_that_is_not_found_is_not_retried(fetch, server):
    server.faults["/3.tch"] = [status(404)]
    assert fetch().faults == [f"{server.url}/3.tch: the answer is 404 Not Found"]
    assert server.asked["/3.tch"] == 1


def test_a_month_without_an_index_is_said_clearly(fetch, server, tmp_path):
    assert fetch(FEBRUARY) == Month(FEBRUARY, faults=[f"{server.url}/200702: the answer is 404 Not Found"])
    assert server.asked == {"/200702": 1}
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_lists_nothing_is_not_taken_for_a_month(fetch, server, tmp_path):
    server.pages["/200702"] = b"<html>We are moving house.</html>"
    assert fetch(FEBRUARY).faults == [f"{server.url}/200702 lists no games"]
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_is_cut_unseen_is_asked_for_once_more(fetch, server, tmp_path):
    """Its length is too short; what was sent beyond it is not taken for the next answer."""
    server.faults["/3.tch"] = [archive_server.too_short]
    fetch()
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)
    assert server.asked["/3.tch"] == 2


def test_a_game_whose_answers_are_cut_here_and_there_is_not_taken(fetch, server, tmp_path):
    server.pages["/3.tch"] = GAMES[3][:-10]
    server.faults["/3.tch"] = [archive_server.too_short]
    assert fetch().faults == [f"{server.url}/3.tch: the answer is cut"]
    assert "200701/3.tch" not in packed(tmp_path / "2007.zip")


def test_a_log_that_the_server_has_cut_is_taken_as_it_is(fetch, server, tmp_path):
    """As that of game 1150668, which ends in ``passt`` (brettspielwelt.md 6)."""
    server.pages["/3.tch"] = GAMES[3][:-10]
    assert fetch().faults == []
    assert packed(tmp_path / "2007.zip")["200701/3.tch"] == GAMES[3][:-10]


def test_a_page_that_is_no_log_is_not_packed_as_a_game(fetch, server, tmp_path):
    """A proxy may answer 200 with a page that says that there is an error."""
    server.pages["/3.tch"] = b"<html>Try later.</html>\n"
    assert fetch().faults == [f"{server.url}/3.tch: the answer is no log"]
    assert "200701/3.tch" not in packed(tmp_path / "2007.zip")


@pytest.mark.parametrize("drip", [archive_server.drip, archive_server.drip_headers], ids=["body", "headers"])
def test_an_answer_that_never_ends_is_broken_off(fetch, server, tmp_path, drip):
    """Each byte is a sign of life."""
    server.faults["/3.tch"] = [drip]
    begin = time.monotonic()
    assert fetch().faults == []
    assert 1 < time.monotonic() - begin < 10
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)


@pytest.mark.parametrize(("says", "seconds"), [("7", 7), ("86400", 600), ("Fri, 31 Dec 2100 23:59:59 GMT", 600)])
def test_a_server_may_ask_for_ten_minutes_at_most(says, seconds):
    assert download.Patience().parse_retry_after(says) == seconds


@pytest.mark.parametrize("refusal", [404, 500])
def test_games_that_are_refused_for_ever_do_not_stand_in_the_way(fetch, server, refusal):
    """However many they are in a row; also when all others are there."""
    server.put("200701", dict.fromkeys(range(1, 40), log("log")))
    for number in range(5, 40):
        server.faults[f"/{number}.tch"] = [status(refusal)] * 3
    for fetched in 4, 0:
        month = fetch(retries=0)
        assert (month.fetched, len(month.faults), month.is_packed) == (fetched, 35, True)
    assert server.asked["/39.tch"] == 2


def test_a_month_may_begin_with_games_that_are_not_found(fetch, server):
    server.put("200701", dict.fromkeys(range(1, 40), log("log")))
    for number in range(1, 30):
        server.faults[f"/{number}.tch"] = [status(404)]
    assert (fetch().there, fetch().there) == (10, 39)


def test_ten_failures_in_a_row_are_not_the_fault_of_a_game(fetch, server, tmp_path):
    """Another one that could be had before cannot, either. What was fetched stays."""
    server.put("200701", dict.fromkeys(range(1, 40), log("log")))
    server.faults["/4.tch"] = [lambda handler, page: (handler.answer(page), server.pages.clear())]
    with pytest.raises(DownloadError, match="10 requests in a row"):
        fetch(retries=0)
    assert server.asked["/14.tch"] == 1
    assert server.asked["/15.tch"] == 0
    assert len(list((tmp_path / "unfinished" / "200701").glob("*.tch"))) == 4


def test_nine_failures_in_a_row_are_borne_again_and_again(fetch, server):
    server.put("200701", dict.fromkeys(range(1, 40), log("log")))
    for number in range(1, 40):
        if number % 10:
            del server.pages[f"/{number}.tch"]
    assert len(fetch(retries=0).faults) == 36


# --- ended at whatever moment ---------------------------------------------------------------------------------------

PROGRAM = """
import sys
from datetime import date
from pathlib import Path
from arena.brettspielwelt import archive, download
from arena.brettspielwelt.archive import Source
from arena.brettspielwelt.download import Downloader, months

with Downloader(Path(sys.argv[1]), sys.argv[2], rate=1e6) as downloader:
    for first in months(date(2007, 1, 1), date(2010, 12, 1)):
        assert downloader.fetch(first).is_packed
"""

KILLED_AT_A_STEP = """
import os, signal, sys
from datetime import date
from pathlib import Path
from arena.brettspielwelt.download import Downloader

steps = 0

def count(event, arguments):
    global steps
    if event in {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"} and sys.argv[1] in str(arguments[0]):
        steps += 1
        if steps == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
with Downloader(Path(sys.argv[1]), sys.argv[2], rate=1e6) as downloader:
    downloader.fetch(date(2007, 1, 1))
"""


@pytest.mark.slow
def test_killed_at_random_moments_it_loses_nothing_and_every_zip_is_whole(server, tmp_path):
    """Many small months, so that some kills fall into the packing of one; until a run comes to the end."""
    rng = random.Random(4)
    logs = tmp_path / "logs"
    complete: dict[str, bytes] = {}
    for place, first in enumerate(months(JANUARY, date(2010, 12, 1))):
        games = {10 * place + game: GAMES[game] for game in (1, 2, 3, 4, 6)}  # with a last LF: asked for once
        server.put(f"{first:%Y%m}", games)
        complete |= members(f"{first:%Y%m}", games, server)
    there: set[str] = set()
    kills = 0
    while True:
        enough = server.asked.total() + rng.randint(1, 12)
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, logs, server.url], cwd=ROOT)
        until(lambda: server.asked.total() >= enough or process.poll() is not None)  # noqa: B023
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        status = process.wait(20)
        found = {name: log for path in logs.glob("*.zip") for name, log in packed(path).items()}
        for path in logs.glob("unfinished/*/*[lh]"):
            found[f"{path.parent.name}/{path.name}"] = path.read_bytes()
        assert found.items() <= complete.items()
        assert there <= found.keys()
        there = set(found)
        if status == 0:
            break
        assert status == -signal.SIGKILL
        kills += 1
    assert found == complete
    assert kills >= 10
    # Each kill lost at most the request that was under way, and the index of its month was asked for again.
    assert server.asked.total() <= len(complete) + 2 * kills


@pytest.mark.slow
def test_killed_before_any_step_on_the_disk_it_goes_on_to_the_same_zip(server, tmp_path):
    """It ends itself before it opens, renames or removes the n-th file or folder, for every n."""
    server.put("200702", {10: log("ten")})
    complete = {**members("200701", GAMES, server), **members("200702", {10: log("ten")}, server)}
    for step in itertools.count(1):
        logs = tmp_path / f"{step}"
        with Downloader(logs, server.url, rate=1e6) as downloader:
            downloader.fetch(FEBRUARY)
        ended = subprocess.run([sys.executable, "-c", KILLED_AT_A_STEP, logs, server.url, str(step)], cwd=ROOT)
        assert packed(logs / "2007.zip").items() <= complete.items()
        with Downloader(logs, server.url, rate=1e6) as downloader:
            assert downloader.fetch(JANUARY).is_packed
        assert packed(logs / "2007.zip") == complete
        assert [path.name for path in logs.rglob("*") if path.is_file()] == ["2007.zip"]
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL
    assert step > 30


# --- the command ----------------------------------------------------------------------------------------------------


def command(server: ArchiveServer, into: Path, *more: str, first: str = "2007-01", last: str = "2007-01") -> list[str]:
    words = ["bw_download", "--from", first, "--to", last, "--into", str(into), "--url", server.url]
    return [sys.executable, "manage.py", *words, "--rate", "1000", *more]


def said(words: list[str], status: int = 0) -> tuple[str, str]:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_the_command_fills_a_folder_and_says_what_it_did(server, tmp_path):
    server.put("200702", {10: log("ten")})
    out, err = said(command(server, tmp_path / "new" / "logs", last="2007-02"))
    assert out == f"7 games fetched into {tmp_path}/new/logs\n"
    assert err == "2007-01: 6 of 6 games, 6 of them new\n2007-02: 1 of 1 games, 1 of them new\n"
    assert len(packed(tmp_path / "new" / "logs" / "2007.zip")) == 9


@pytest.mark.slow
def test_the_command_goes_on_after_a_month_that_is_missing_and_its_exit_status_tells(server, tmp_path):
    server.put("200703", {10: log("ten")})
    out, err = said(command(server, tmp_path, last="2007-03"), status=3)
    assert f"2007-02: not fetched\n  {server.url}/200702: the answer is 404 Not Found\n" in err
    assert "1 could not be had" in err
    assert out == f"7 games fetched into {tmp_path}\n"


@pytest.mark.slow
def test_ctrl_c_ends_the_command_cleanly_and_it_goes_on(server, tmp_path):
    server.faults["/4.tch"] = [archive_server.silence]
    process = subprocess.Popen(command(server, tmp_path), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    until(lambda: server.asked["/4.tch"] == 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "Interrupted. What was fetched is kept; the same command goes on.\n"
    said(command(server, tmp_path))
    assert packed(tmp_path / "2007.zip") == members("200701", GAMES, server)
    assert [server.asked[f"/{game}.tch"] for game in GAMES] == [1, 1, 1, 2, 2, 1]


@pytest.mark.slow
def test_three_times_ctrl_c_ends_the_command_as_cleanly(server, tmp_path):
    server.faults["/4.tch"] = [archive_server.silence]
    process = subprocess.Popen(command(server, tmp_path), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    until(lambda: server.asked["/4.tch"] == 1)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "Interrupted. What was fetched is kept; the same command goes on.\n"


@pytest.mark.slow
def test_retries_and_what_a_server_calls_its_refusal_do_no_harm_to_a_terminal(server, tmp_path):
    """Warnings would be written across the bar; control characters would be commands."""
    server.faults["/3.tch"] = [archive_server.hang_up]
    server.faults["/4.tch"] = [archive_server.refuse_in_colours]
    _, err = said(command(server, tmp_path), status=3)
    assert err == (
        f"2007-01: 5 of 6 games, 5 of them new\n  {server.url}/4.tch: the answer is 404 \ufffd[31mNo\ufffd[0m\n"
        "1 could not be had; the same command asks for them again.\n"
    )


@pytest.mark.slow
def test_a_terminal_shows_a_bar(server, tmp_path):
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, 80))
    server.faults["/6.tch"] = [status(429, Retry_After="1")]
    subprocess.run(command(server, tmp_path), cwd=ROOT, stderr=its, stdout=subprocess.DEVNULL, timeout=60, check=True)
    shown = os.read(ours, 100_000).decode()
    os.close(its)
    os.close(ours)
    assert re.search(r"2007-01: 100%.* 6/6 .* games/s\]", shown)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--from", "2007-02", "--to", "2007-01"], "is later than"),
        (["--from", "2007", "--to", "2007-01"], "2007 is no month such as 2007-01"),
        (["--from", "2007-01", "--to", "2007-01", "--rate", "0"], "--rate must be more than 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, arguments, complaint):
    with pytest.raises(CommandError, match=complaint):
        call_command("bw_download", *arguments, "--into", str(tmp_path), "--url", "http://127.0.0.1:9")


def test_by_itself_it_asks_the_server_of_the_brettspielwelt():
    """brettspielwelt.md 1."""
    assert download.URL == "http://tichulog.brettspielwelt.de"
