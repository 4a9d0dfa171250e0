"""Logs read and written; rules and scores are the matter of test_replay.py."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.log import LABELS, Line, LoggedRound, pack, parse, unpack, write

SAMPLES = Path(__file__).parents[2] / "data" / "bsw"
FILES = sorted(SAMPLES.rglob("*.tch"))
GAME = (SAMPLES / "900001.tch").read_text(encoding="utf-8")
ROUND = (SAMPLES / "defects" / "own_dragon_bombed.tch").read_text(encoding="utf-8")
TICHU_BEFORE = (SAMPLES / "defects" / "tichu_before_schupfen.tch").read_text(encoding="utf-8")
HEADER = "---------------Gr.Tichukarten------------------\n"


def rounds(text: str | bytes) -> list[LoggedRound]:
    """Those of a text that is one game."""
    (game,) = parse(text)
    return game.rounds


def found(text: str | bytes) -> list[tuple[int, Code, bool]]:
    """What is wrong with a text that is one game: round, code, whether it was corrected."""
    (game,) = parse(text)
    return [(at, finding.code, finding.corrected) for at, finding in game.findings]


def changed(old: str, new: str, text: str = ROUND) -> str:
    """A text with something else at one place."""
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


# --- what is read is written again ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_log_is_written_as_it_was_read(path: Path) -> None:
    """Byte for byte, but for the CR (brettspielwelt.md 1)."""
    data = path.read_bytes()
    text = write([round for game in parse(data) for round in game.rounds])
    whole_lines = data.replace(b"\r", b"").removesuffix(b"\n") + b"\n"
    assert text.encode() == whole_lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_the_text_of_a_sample(path: Path) -> None:
    """One is cut, in its tenth round; the defects of the others are none of the grammar."""
    assert found(path.read_bytes()) == ([(9, Code.TOO_SHORT, False)] if "truncated" in path.stem else [])


def test_there_are_69_rounds() -> None:
    assert sum(len(rounds(path.read_bytes())) for path in FILES) == 69


def test_a_round_has_what_its_lines_say() -> None:
    first, *_ = rounds(GAME)
    assert first.line == 1
    assert first.names == first.hand_names == ("Nordwind", "Bär_77", "C.Moll!", "Ähre-9")
    assert first.eight[0] == ("RK", "BK", "R10", "S10", "S9", "B9", "G8", "B3")
    assert first.fourteen[3][-1] == "Hu"
    assert first.gifts[1] == ("R5", "BD", "S7")
    assert first.bombs == (2,)
    assert first.lines[:3] == (Line("play", 0, ("Ma",)), Line("wish", rank=5), Line("play", 1, ("G5",)))
    assert first.lines[4] == Line("pass", 3)
    assert Line("dragon", 0) in first.lines
    assert first.result == (25, 75)


def test_a_round_knows_its_line_in_the_file() -> None:
    lines = GAME.split("\n")
    assert [lines[round.line - 1] for round in rounds(GAME)] == [HEADER.strip()] * 10


def test_calls_before_the_exchange_keep_their_order() -> None:
    text = changed("Tichu: (2)Lotus22\n", "Grosses Tichu: (1)Kranich\nTichu: (2)Lotus22\n", TICHU_BEFORE)
    assert rounds(text)[0].before == (("grand", 1), ("tichu", 2))
    assert write(rounds(text)) == text


@pytest.mark.parametrize("result", ["175 - -175", "-100 - 300", "0 - 0"])
def test_results_may_be_negative(result: str) -> None:
    text = changed("Ergebnis: 265 - 35", f"Ergebnis: {result}")
    assert found(text) == []
    assert write(rounds(text)) == text


# --- what is forgiven -------------------------------------------------------------------------------------------------


def test_blank_lines_mean_nothing_anywhere() -> None:
    text = "\n  \n" + GAME.replace("\n", "\n\r\n \n")
    assert found(text) == []
    assert write(rounds(text)) == GAME


def test_blanks_at_the_end_of_lines_may_be_missing() -> None:
    assert write(rounds(ROUND.replace(" \n", "\n"))) == ROUND


def test_bytes_that_are_no_utf_8_are_cp1252() -> None:
    assert rounds(GAME.encode("cp1252"))[0].names == ("Nordwind", "Bär_77", "C.Moll!", "Ähre-9")


def test_bytes_that_are_no_utf_8_are_told_once_for_each_round() -> None:
    """They are not written as they were."""
    first, second = GAME.encode().split(b"Ergebnis: 25 - 75\n")
    text = first + b"Ergebnis: 25 - 75\n" + second.decode().encode("cp1252")
    assert found(text) == [(at, Code.ENCODING, True) for at in range(1, 10)]
    (game,) = parse(text, 1001)
    line = text[: text.index(b"\xe4")].count(b"\n") + 1001
    assert game.findings[0][1].detail.startswith(f"line {line}: (1)Bär_77 ")


def test_a_cut_character_does_not_spoil_the_others() -> None:
    data = GAME.encode()
    cut = data[: data.rindex("Ä".encode()) + 1]
    assert rounds(cut)[-1].names[1] == "Bär_77"


def test_bytes_that_are_nothing_are_read_all_the_same() -> None:
    assert rounds(GAME.encode().replace(b"Nordwind", b"N\x81\xff"))[0].names[0] == "N\ufffdÿ"


def test_a_byte_order_mark_means_nothing() -> None:
    assert found(b"\xef\xbb\xbf" + ROUND.encode()) == []


NAMES = [
    *("", "a:b", "x-", "-", "(", ")", "(1)", "(0)(1)!", ":", "::", "a:", "gibt:", "passt.", "passt", "BOMBE:"),
    *(
        "Tichu:",
        "B7",
        "Ma",
        "10",
        "\x85",
        "a\x85b",
        "\xa0",
        "a\xa0b",
        "pad\xa0",
        "\x1c",
        "\0",
        "Ähre",
        "\N{GRINNING FACE}",
    ),
    *("--END", "Ergebnis:", "Wunsch:2", "\u2028", "\t", "\ufeff", "Schupfen:"),
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_are_anything_without_a_blank(name: str) -> None:
    text = ROUND.replace("Kranich", name)
    assert found(text) == []
    assert rounds(text)[0].names[1] == name
    assert write(rounds(text.encode())) == text


@pytest.mark.parametrize("name", ["Foo Bar", "x: y", "(1)Foo -"])
def test_even_a_blank_is_read_where_the_line_can_be_told_apart(name: str) -> None:
    text = ROUND.replace("BOMBE: (0)Ähre-9 (1)Kranich \n", "").replace("Mimose", name)
    assert rounds(text)[0].hand_names[3] == name
    assert write(rounds(text)) == text


def test_the_names_are_those_after_the_deal() -> None:
    """In a game's first round players may be seated anew after the deal (brettspielwelt.md 5)."""
    (round,) = rounds((SAMPLES / "defects" / "all_four_names_reseated_after_deal.tch").read_bytes())
    assert round.hand_names == ("Ähre-9", "Kranich", "Lotus22", "Mimose")
    assert round.names == ("Kranich", "Mimose", "Ähre-9", "Lotus22")
    assert round.other_names == ()


def test_a_name_that_changes_inside_a_round_is_kept_where_it_stands() -> None:
    head, mark, play = ROUND.partition("Rundenverlauf")
    passes = play.replace("Kranich passt.", "Ersatz passt.")
    (round,) = rounds(head + mark + passes)
    assert round.names[1] == "Kranich"
    assert {name for _, name in round.other_names} == {"Ersatz"}
    assert write([round]) == head + mark + passes


def test_a_dragon_may_be_given_to_nobodys_name() -> None:
    text = (SAMPLES / "defects" / "dragon_gift_without_name.tch").read_text(encoding="utf-8")
    assert "Drache an: (" in text
    (round,) = rounds(text)
    assert [name for _, name in round.other_names] == [""]
    assert write([round]) == text


def test_a_call_that_stands_there_twice_is_read_twice() -> None:
    """Which counts is a matter of the rules."""
    text = changed("Tichu: (2)Lotus22\n", "Tichu: (2)Lotus22\n" * 2, TICHU_BEFORE)
    assert rounds(text)[0].before == (("tichu", 2), ("tichu", 2))
    assert found(text) == []


def test_the_line_of_bombs_may_be_missing() -> None:
    text = changed("BOMBE: (0)Ähre-9 (1)Kranich \n", "")
    assert rounds(text)[0].bombs is None
    assert found(text) == []
    assert write(rounds(text)) == text


def test_a_call_during_the_exchange_is_one_before_it() -> None:
    text = changed("Tichu: (2)Lotus22\nSchupfen:\n", "Schupfen:\nTichu: (2)Lotus22\n", TICHU_BEFORE)
    assert rounds(text)[0].before == (("tichu", 2),)
    assert found(text) == [(0, Code.UNREADABLE, True)]


def test_hands_in_another_order_are_those_of_their_seats() -> None:
    lines = ROUND.split("\n")
    lines[1], lines[2] = lines[2], lines[1]
    assert rounds("\n".join(lines)) == rounds(ROUND)
    assert found("\n".join(lines)) == [(0, Code.UNREADABLE, True)]


@pytest.mark.parametrize(
    ("old", "new"),
    [(" passt.", " passt"), ("Ergebnis: 265 - 35", "Ergebnis: 0265 - 35"), ("Kranich: ", "Kranich:  ")],
    ids=["no dot", "zeros", "two blanks"],
)
def test_what_is_meant_is_clear(old: str, new: str) -> None:
    head, mark, play = ROUND.partition("Rundenverlauf")
    text = head + mark + changed(old, new, play)
    assert rounds(text) == rounds(ROUND)
    assert found(text) == [(0, Code.UNREADABLE, True)]


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", b"", "\n\r\n  \n", b"\n\n--END GAME--\n\n"], ids=repr)
def test_a_log_may_be_empty(text: str | bytes) -> None:
    assert found(text) == [(-1, Code.EMPTY, False)]
    assert rounds(text) == []


def test_what_is_no_log_is_told_once() -> None:
    (game,) = parse(b"<html>\n<body>\nError 500\n")
    assert game.findings == [(-1, Finding(Code.UNREADABLE, detail="line 1: <html>"))]


def _cuts(text: str) -> list[int]:
    return [at + 1 for at, character in enumerate(text[:-1]) if character == "\n"]


def test_a_log_that_is_cut_anywhere_keeps_what_it_has() -> None:
    """After whole lines: what is written are these, but for a mark that nothing follows."""
    for cut in _cuts(ROUND):
        (game,) = parse(ROUND[:cut])
        assert [finding.code for _, finding in game.findings] == [Code.TOO_SHORT]
        assert len(game.rounds) == 1
        text = write(game.rounds)
        assert text == ROUND[:cut] or text + ROUND[len(text) : cut] == ROUND[:cut]
        assert ROUND[len(text) : cut].count("\n") <= 1


def test_a_log_that_is_cut_at_any_byte_is_too_short() -> None:
    data = ROUND.encode()
    for cut in range(1, len(data)):
        (game,) = parse(data[:cut])
        if game.rounds and not data[:cut].rpartition(b"\n")[2].startswith(b"Ergebnis"):
            assert game.findings[0][1].code == Code.TOO_SHORT


def test_the_rounds_before_a_cut_are_whole() -> None:
    cut = GAME[: GAME.rindex("Schupfen:") + 30]
    assert rounds(cut)[:-1] == rounds(GAME)[:-1]
    assert rounds(cut)[-1].result is None
    assert (9, Code.TOO_SHORT, False) in found(cut)


def test_a_last_pass_may_lack_its_dot() -> None:
    """As that of game 1150668 does (brettspielwelt.md 6)."""
    cut = ROUND[: ROUND.rindex(" passt.") + len(" passt")]
    assert rounds(cut)[0].lines[-1].kind == "pass"
    assert found(cut) == [(0, Code.TOO_SHORT, False), (0, Code.UNREADABLE, True)]


def test_a_round_that_begins_after_the_deal_of_another_stops_the_game() -> None:
    """As in 34 files (brettspielwelt.md 6); what follows is a game of its own."""
    deal = ROUND[: ROUND.index("Schupfen:")]
    first, second = parse(ROUND + deal + GAME)
    assert len(first.rounds) == 2
    assert [(at, finding.code) for at, finding in first.findings] == [(1, Code.RESTARTED)]
    assert first.rounds[1].result is None
    assert second.findings == []
    assert write(second.rounds) == GAME


def test_games_in_a_file_are_told_apart() -> None:
    """By the mark of who collected them, with any blank lines (brettspielwelt.md 1)."""
    games = parse(f"{GAME}\n\n--END GAME--\n\n\n{ROUND}\r\n--END GAME--\r\n--END GAME--\n")
    assert [write(game.rounds) for game in games] == [GAME, ROUND]
    assert [game.findings for game in games] == [[], []]


def test_a_mark_between_games_ends_a_round_that_was_cut() -> None:
    cut, whole = parse(f"{ROUND[:500]}\n--END GAME--\n{ROUND}")
    assert (0, Code.TOO_SHORT) in [(at, finding.code) for at, finding in cut.findings]
    assert write(whole.rounds) == ROUND


def test_a_thousand_points_do_not_end_a_game() -> None:
    """Some play on (brettspielwelt.md 6); the rules tell."""
    assert len(rounds(GAME + GAME)) == 20


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("BA ", "BX ", -1),
        ("(2)Lotus22 gibt", "(4)Lotus22 gibt", -1),
        ("BOMBE: (0)Ähre-9 (1)Kranich", "BOMBE: (1)Kranich (0)Ähre-9", -1),
        ("BOMBE: (0)Ähre-9 (1)Kranich", "BOMBE:", -1),
        ("Ergebnis: 265 - 35", "Ergebnis: 200", None),
        ("Ergebnis: 265 - 35", "Ergebnis: 9999999 - 0", None),
        ("Rundenverlauf------------------\n", "Rundenverlauf------------------\nGrosses Tichu: (0)Ähre-9\n", 0),
        ("Rundenverlauf------------------\n", "Rundenverlauf------------------\nWunsch:1\n", 0),
        ("Rundenverlauf------------------\n", "Rundenverlauf------------------\nSchupfen:\n", 0),
    ],
)
def test_a_line_that_no_rule_reads_is_told_with_its_place(old: str, new: str, at: int | None) -> None:
    (game,) = parse(changed(old, new))
    first = game.findings[0][1]
    assert not first.corrected
    assert first.code in (Code.UNREADABLE, Code.LABEL)
    assert first.move == (len(rounds(ROUND)[0].lines) if at is None else at)
    assert new.strip().rpartition("\n")[2].split(" ")[0] in first.detail


def test_a_result_that_cannot_be_read_ends_its_round_without_one() -> None:
    text = changed("Ergebnis: 265 - 35", "Ergebnis: zweihundert")
    assert len(rounds(text + ROUND)) == 2
    assert rounds(text + ROUND)[0].result is None


@pytest.mark.parametrize("label", ["X9", "R1", "Z", "R11", "ma", "R10R9", "\xa0"], ids=ascii)
def test_a_card_that_is_none_is_kept_and_told(label: str) -> None:
    head, mark, play = ROUND.partition("Rundenverlauf")
    text = head + mark + changed(": Hu", f": {label}", play)
    assert found(text) == [(0, Code.LABEL, False)]
    assert rounds(text)[0].lines[0].cards == (label,)
    assert write(rounds(text)) == text


def test_what_was_not_corrected_comes_first() -> None:
    text = changed(" passt.", " passt").replace("Ergebnis: 265 - 35", "Ergebnis:")
    assert [corrected for _, _, corrected in found(text)] == [False, True]


# --- any round --------------------------------------------------------------------------------------------------------

names = st.sampled_from(NAMES) | st.text(
    st.characters(exclude_characters="\n\r ", exclude_categories=["Cs"]) | st.sampled_from(":-()!.\xa0\x85"),
    max_size=20,
)
seats = st.integers(0, 3)
labels = st.sampled_from(LABELS)


def hands(count: int) -> st.SearchStrategy[tuple[tuple[str, ...], ...]]:
    return st.tuples(*[st.tuples(*[labels] * count)] * 4)


@st.composite
def logged_rounds(draw: Callable[..., object]) -> LoggedRound:
    """Any round without a defect of grammar; the rules would not allow it."""
    lines = st.one_of(
        st.builds(Line, st.just("play"), seats, st.lists(labels, min_size=1, max_size=14).map(tuple)),
        st.builds(Line, st.just("pass"), seats),
        st.builds(Line, st.just("wish"), rank=st.integers(2, 14)),
        st.builds(Line, st.sampled_from(["tichu", "dragon"]), seats),
    )
    round = draw(
        st.builds(
            LoggedRound,
            st.just(0),
            st.tuples(*[names] * 4),
            st.tuples(*[names] * 4),
            hands(8),
            hands(14),
            st.lists(st.tuples(st.sampled_from(["grand", "tichu"]), seats), max_size=3).map(tuple),
            hands(3),
            st.none() | st.sets(seats, min_size=1).map(sorted).map(tuple),
            st.lists(lines, max_size=30).map(tuple),
            st.tuples(st.integers(-600, 600), st.integers(-600, 600)),
        )
    )
    assert isinstance(round, LoggedRound)
    return round


@given(st.lists(logged_rounds(), min_size=1, max_size=3))
def test_any_rounds_are_read_as_they_were_written(written: list[LoggedRound]) -> None:
    (game,) = parse(write(written).encode())
    assert game.findings == []
    assert [replace(round, line=0) for round in game.rounds] == written


@given(logged_rounds(), st.data())
def test_any_name_may_differ_anywhere(round: LoggedRound, data: st.DataObject) -> None:
    text = write([round])
    mentions = [at for at in range(len(text)) if text[at : at + 3] in ("(0)", "(1)", "(2)", "(3)")]
    at = data.draw(st.sampled_from(mentions)) + 3
    other = data.draw(names)
    text = f"{text[:at]}{other}{text[at:]}"
    assert write(rounds(text.encode())) == text


# --- storing ----------------------------------------------------------------------------------------------------------


@given(logged_rounds())
def test_any_round_is_stored_whole(round: LoggedRound) -> None:
    assert unpack(pack(round)) == round


def test_real_rounds_are_stored_whole_and_small() -> None:
    """22 million rounds are to be stored (brettspielwelt.md 1)."""
    real = [round for path in FILES for round in rounds(path.read_bytes())]
    packed = [pack(round) for round in real]
    assert [unpack(data) for data in packed] == real
    assert sum(map(len, packed)) / len(packed) < 240


def test_what_is_wrong_with_a_round_is_stored_with_it() -> None:
    text = changed("Tichu: (2)Lotus22\n", "Tichu: (2)Other\n", TICHU_BEFORE).replace(": Ma \n", ": M\xa0 R5 S9 99\n")
    (round,) = rounds(text[: text.index("Ergebnis")])
    assert round.other_names == ((28, "Other"),)
    assert unpack(pack(round)) == round
