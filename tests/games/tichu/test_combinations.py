from games.tichu import _core
from games.tichu.cards import DOG, DRAGON, MAH_JONG, PHOENIX, parse, played_order, text
from games.tichu.combinations import Combination, CombinationType, phoenix_rank, readings, recognise


def test_types_are_numbered_as_on_the_wire() -> None:
    """Protocol 2."""
    assert [kind.name for kind in CombinationType] == (
        ["PASS", "SINGLE", "PAIR", "TRIPLE", "STAIR", "FULLHOUSE", "STREET", "BOMB"]
    )
    assert list(CombinationType) == list(range(8))


def test_the_specials_on_the_wire() -> None:
    """Protocol 2."""
    names = {
        card: [tuple(Combination.of_meta(meta)) for meta in readings(card)] for card in (DOG, MAH_JONG, DRAGON, PHOENIX)
    }
    assert names == {DOG: [(1, 1, 0)], MAH_JONG: [(1, 1, 1)], DRAGON: [(1, 1, 15)], PHOENIX: [(1, 1, 1)]}


def test_readings_come_highest_first() -> None:
    """Rules 4.8."""
    cards = parse("S5 R6 S7 S8 Ph")
    high, low = readings(cards)
    assert (Combination.of_meta(high).rank, phoenix_rank(high)) == (9, 9)
    assert (Combination.of_meta(low).rank, phoenix_rank(low)) == (8, 4)
    assert recognise(cards) == high


def test_a_top_leaves_only_what_beats_it() -> None:
    cards = parse("SK RK S3 B3 Ph")
    top = recognise(parse("SD RD GD S2 B2"))
    assert top is not None
    assert [Combination.of_meta(meta).rank for meta in readings(cards)] == [13, 3]
    assert [Combination.of_meta(meta).rank for meta in readings(cards, top)] == [13]
    assert recognise(parse("S3 B3 G3 SK RK"), top) is None


def test_no_cards_are_no_combination() -> None:
    assert recognise(0) is None
    assert Combination.of_meta(_core.PASS).type == CombinationType.PASS


def test_played_cards_stand_where_they_count() -> None:
    """Protocol 2: the higher rank first, also in a full house; the phoenix after natural cards of its rank."""
    for cards, expected in {
        "Ph S7 R7 SK RK": "RK SK Ph R7 S7",
        "S3 B3 G3 RA SA": "RA SA G3 B3 S3",
        "S5 R6 Ph S8 B9": "B9 S8 Ph R6 S5",
        "Ph": "Ph",
        "Hu": "Hu",
    }.items():
        meta = recognise(parse(cards))
        assert meta is not None
        assert text(played_order(parse(cards), phoenix_rank(meta))) == expected
