"""Files, folders and zips in any mixture, streamed (docs/brettspielwelt.md)."""

import os
import subprocess
import tracemalloc
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from arena.brettspielwelt import archive
from arena.brettspielwelt.archive import Broken, Source, logs

INDEX = b"""<html><body>
<a href="/11.tch">2007-02-28 23:59 Anna B&auml;r_77 C.Moll! D-9</a>
<a href="/12.tch">2007-03-01 00:00 Anna \xe4\xe4 Carl Dora</a>
<a href="/13.tch">2007-02-31 00:00 A B C D</a>
</body></html>"""


def zipped(path: Path, members: Mapping[str, bytes], compression: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def sources(*places: archive.Place) -> list[Source]:
    """All logs, none of which is broken."""
    found = []
    for log in logs(places):
        assert isinstance(log, Source)
        found.append(log)
    return found


def test_a_zip_comes_in_the_order_of_numbers(tmp_path):
    """Members of the archive of a year are sorted by int(id); what is no .tch is skipped (specification, chapter 1)."""
    members = {
        "200702/10.tch": b"c",
        "200701/9.tch": b"b",
        "200702/index.html": b"",
        "200701/1.tch": b"a",
        "x.txt": b"",
    }
    found = sources(zipped(tmp_path / "2007.zip", members))
    assert [(log.number, log.month, log.data) for log in found] == [
        (1, date(2007, 1, 1), b"a"),
        (9, date(2007, 1, 1), b"b"),
        (10, date(2007, 2, 1), b"c"),
    ]


def test_files_folders_and_zips_mix(tmp_path):
    """Of a folder the games come first, then what lies in folders and zips in it, by name."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "3.tch").write_bytes(b"3")
    (tmp_path / "10.tch").write_bytes(b"10")
    (tmp_path / "2.tch").write_bytes(b"2")
    (tmp_path / "notes.txt").write_bytes(b"no log")
    zipped(tmp_path / "a.zip", {"4.tch": b"4"})
    assert [log.data for log in sources(tmp_path)] == [b"2", b"10", b"4", b"3"]


def test_a_log_that_is_named_may_be_called_anything(tmp_path):
    """Whoever saved a game with a browser may have a .txt."""
    (tmp_path / "games.txt").write_bytes(b"text")
    (log,) = sources(tmp_path / "games.txt")
    assert (log.number, log.data) == (None, b"text")


def test_a_file_that_is_open_is_read_and_stays_open():
    """An upload in the admin is no path."""
    file = BytesIO(b"text")
    (log,) = sources(("7.tch", file))
    assert (log.name, log.number, log.data) == ("7.tch", 7, b"text")
    assert not file.closed


@pytest.mark.parametrize("name", ["a.tch", "7a.tch", "-7.tch", "٧.tch", "99999999999.tch", "²².tch"])
def test_other_names_are_no_numbers(name):
    """A number is the running number of the server, and fits into a column."""
    assert sources((name, BytesIO(b"text")))[0].number is None


def test_what_macos_puts_beside_a_file_is_no_log(tmp_path):
    """Its zips have __MACOSX/._1.tch."""
    assert sources(zipped(tmp_path / "a.zip", {"1.tch": b"1", "__MACOSX/._1.tch": b"\0"}))[0].data == b"1"
    assert archive.count([tmp_path]) == 1


@pytest.mark.parametrize("in_zip", [True, False])
def test_an_index_says_the_month_where_the_folder_does_not(tmp_path, in_zip):
    """A date exists only in the index (specification, chapter 1)."""
    members = {"some/11.tch": b"", "some/12.tch": b"", "some/14.tch": b"", "some/index.html": INDEX}
    place = zipped(tmp_path / "some.zip", members)
    if not in_zip:
        with ZipFile(place) as file:
            file.extractall(tmp_path)
        place = tmp_path / "some"
    assert [log.month for log in sources(place)] == [date(2007, 2, 1), date(2007, 3, 1), None]


@pytest.mark.parametrize("in_zip", [True, False])
def test_an_index_that_is_far_too_long_is_none(tmp_path, in_zip, monkeypatch):
    """Packed, a gigabyte of blanks is a megabyte; memory stays bounded."""
    monkeypatch.setattr(archive, "LIMIT", 2**20)
    members = {"some/11.tch": b"text", "some/index.html": INDEX + b" " * 2**26}
    place = zipped(tmp_path / "some.zip", members)
    if not in_zip:
        with ZipFile(place) as file:
            file.extractall(tmp_path)
        place = tmp_path / "some"
    tracemalloc.start()
    (log,) = sources(place)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (log.month, log.data) == (None, b"text")
    assert peak < 2**23


def test_an_index_tells_number_time_and_names():
    """Some months have invalid UTF-8, which is left out (specification, chapter 1); there is no 31st of February."""
    assert archive.index(INDEX) == [
        (11, datetime(2007, 2, 28, 23, 59), ("Anna", "Bär_77", "C.Moll!", "D-9")),
        (12, datetime(2007, 3, 1), ("Anna", "", "Carl", "Dora")),
    ]


def test_a_collection_comes_game_by_game():
    """``--END GAME--`` and blank lines are a collector's separator (specification, chapter 1)."""
    data = b"one\n--END GAME--\n\ntwo\r\n--END GAME--\r\n"
    found = sources(("games.tch", BytesIO(data)))
    assert [(log.data.strip(), log.line) for log in found] == [(b"one", 1), (b"two", 2)]
    assert data.split(b"\n")[found[1].line - 1] == b"--END GAME--"


def test_a_separator_may_lie_across_blocks(monkeypatch):
    """A collection is read block by block."""

    class Slow(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(5)

    assert len(sources(("games.tch", Slow(b"one\n--END GAME--\ntwo\n--END GAME--\nthree")))) == 3


def test_an_empty_file_is_one_log_without_text(tmp_path):
    """There are 13,964 of them; somebody wants to count them (specification, chapter 6)."""
    assert [log.data for log in sources(("1.tch", BytesIO()), ("a.tch", BytesIO()))] == [b"", b""]


def damaged(path: Path) -> Path:
    """A zip whose second of three members has other bytes than its checksum says."""
    zipped(path, {"1.tch": b"first", "2.tch": b"second", "3.tch": b"third"}, ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"second", b"sec0nd"))
    return path


def test_a_damaged_member_is_named_and_the_others_are_read(tmp_path):
    """A broken file never stops an import."""
    first, broken, third = logs([damaged(tmp_path / "a.zip")])
    assert isinstance(broken, Broken)
    assert broken.name == f"{tmp_path / 'a.zip'}/2.tch"
    assert "CRC" in broken.why
    assert isinstance(first, Source)
    assert isinstance(third, Source)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and no more", b"no zip"])
def test_a_zip_that_is_none_is_named(tmp_path, data):
    """A broken file never stops an import."""
    (tmp_path / "a.zip").write_bytes(data)
    (tmp_path / "b.tch").write_bytes(b"text")
    broken, log = logs([tmp_path / "a.zip", tmp_path / "b.tch"])
    assert isinstance(broken, Broken)
    assert "no zip" in broken.why
    assert isinstance(log, Source)


def test_every_cut_of_a_zip_is_named(tmp_path):
    """A download that was cut off; whatever :mod:`zipfile` raises is caught."""
    whole = zipped(tmp_path / "a.zip", {"200701/1.tch": b"text" * 50}).read_bytes()
    for end in range(len(whole) - 1):
        assert [type(log) for log in logs([("a.zip", BytesIO(whole[:end]))])] == [Broken]


def test_whatever_byte_of_a_zip_is_wrong_something_is_said(tmp_path):
    """Damage may lie anywhere; at worst a log is not found."""
    whole = zipped(tmp_path / "a.zip", {"200701/1.tch": b"text" * 50}).read_bytes()
    for at in range(len(whole)):
        damage = whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :]
        for log in logs([("a.zip", BytesIO(damage))]):
            assert isinstance(log, Broken) or log.data == b"text" * 50


def test_a_path_that_is_not_there_is_named(tmp_path):
    """Somebody may move files while an import runs."""
    assert list(logs([tmp_path / "none.tch"])) == [Broken(str(tmp_path / "none.tch"), "No such file or directory")]


@pytest.mark.parametrize("name", ["1.tch", "a.tch"])
def test_a_log_that_is_far_too_long_is_named(monkeypatch, name):
    """Somebody may upload anything; memory stays bounded."""
    monkeypatch.setattr(archive, "LIMIT", 100)
    assert [type(log) for log in logs([(name, BytesIO(b"x" * 101))])] == [Broken]


def test_a_zip_in_a_zip_is_named(tmp_path):
    """Somebody may have packed all years into one."""
    year = zipped(tmp_path / "2007.zip", {"200701/1.tch": b"1"}).read_bytes()
    place = zipped(tmp_path / "years.zip", {"years/2007.zip": year, "2.tch": b"2"})
    log, broken = logs([place])
    assert isinstance(log, Source)
    assert broken == Broken(f"{place}/years/2007.zip", "a zip in a zip is not read")
    assert archive.count([place]) == 2


def test_a_zip_may_have_backslashes(tmp_path):
    """Some programs on Windows write them."""
    members = {"200701\\11.tch": b"text", "some\\12.tch": b"", "some\\index.html": INDEX}
    found = sources(zipped(tmp_path / "a.zip", members))
    assert [(log.number, log.month) for log in found] == [(11, date(2007, 1, 1)), (12, date(2007, 3, 1))]
    assert archive.count([tmp_path]) == 2


def test_what_is_no_file_and_links_to_folders_are_passed_by(tmp_path):
    """Reading a pipe would wait for ever, and so would following a link upwards."""
    os.mkfifo(tmp_path / "1.tch")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "2.tch").symlink_to(tmp_path)
    (tmp_path / "3.tch").mkdir()
    (tmp_path / "3.tch" / "4.tch").write_bytes(b"4")
    (tmp_path / "5.tch").symlink_to(tmp_path / "3.tch" / "4.tch")
    assert [log.number for log in sources(tmp_path)] == [4, 5]
    assert archive.count([tmp_path]) == 2


def test_a_link_that_leads_nowhere_is_named(tmp_path):
    (tmp_path / "1.tch").symlink_to(tmp_path / "none")
    (tmp_path / "2.tch").symlink_to(tmp_path / "2.tch")
    assert [type(log) for log in logs([tmp_path])] == [Broken, Broken]


def test_folders_may_lie_as_deep_as_a_path_is_long(tmp_path):
    """No matter how deep Python calls, and what lies deeper is named."""
    before = Path.cwd()
    os.chdir(tmp_path)
    for _ in range(1100):
        Path("abc").mkdir()
        os.chdir("abc")
    os.chdir(before)
    (tmp_path / Path(*["abc"] * 950) / "1.tch").write_bytes(b"1")
    log, broken = logs([tmp_path])
    assert isinstance(log, Source)
    assert isinstance(broken, Broken)
    assert broken.why == "File name too long"
    assert archive.count([tmp_path]) == 2
    subprocess.run(["rm", "-r", tmp_path / "abc"], check=True)


def test_files_are_counted_without_being_read(tmp_path):
    """A progress bar needs to know how many there are."""
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "1.tch").write_bytes(b"")
    zipped(tmp_path / "f" / "b.zip", {"2.tch": b"", "3.tch": b"", "index.html": b""})
    assert archive.count([tmp_path, tmp_path / "f" / "1.tch"]) == 4


def test_a_zip_is_never_in_memory_as_a_whole(tmp_path):
    """The archive has 7 GB of text."""
    place = zipped(tmp_path / "a.zip", {f"{number}.tch": b"text" * 25_000 for number in range(1, 101)})

    def total(found: Iterator[Source | Broken]) -> int:
        return sum(len(log.data) for log in found if isinstance(log, Source))

    tracemalloc.start()
    assert total(logs([place])) == 10_000_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
