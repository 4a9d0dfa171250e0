"""The rules of RuleAgent, each in a small position. Seat 0 decides; seats 1 and 3 are its opponents."""

from hashlib import blake2b
from random import Random

import pytest

from games.tichu._core import Round
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent, calls_grand, calls_tichu
from games.tichu.cards import each, label, parse
from games.tichu.simulate import play_round
from games.tichu.states import PrivateState, PublicState
from tests.games.tichu.tables import act, dealt, exchanged, table

AGENT = RuleAgent("rule")
LEFT = "G9 GK GA GB GZ Dr Ph"
RIGHT = "B9 BK B8 BZ BB"
PARTNER = "S2 R2 B3 G3 B4 G4 B5 G5 B6 G6 BA"
DRAGON = "Dr S3 R3 S4 R4 S6 S7 S8 SD"  # and nothing else


def plays(round: Round) -> set[str]:
    """The cards that the agent plays; none are a pass."""
    cards, _ = AGENT.play(PublicState(round), PrivateState(round, 0))
    return {label(card) for card in each(cards)}


def bombs(round: Round) -> bool:
    return AGENT.bomb(PublicState(round), PrivateState(round, 0)) is not None


def calls(round: Round) -> bool:
    return AGENT.announce(PublicState(round), PrivateState(round, 0))


def gives(round: Round) -> list[str]:
    """What the agent gives to right, partner, left."""
    return [label(card) for card in AGENT.schupf(PublicState(round), PrivateState(round, 0))]


# --- every play -------------------------------------------------------------------------------------------------------


def test_breaks_no_combination() -> None:
    """A queen alone, not one of a pair, beats the ten."""
    round = table("SK RK SD S3 S4", RIGHT, PARTNER, LEFT, turn=3)
    assert plays(act(round, "3: plays GZ")) == {"SD"}


def test_plays_low() -> None:
    assert plays(table("S3 S8 SK", RIGHT, PARTNER, LEFT)) == {"S3"}


def test_goes_out_when_it_can() -> None:
    round = table("SA", RIGHT, PARTNER, LEFT, turn=2)
    assert plays(act(round, "2: plays S2", "3: plays GB")) == {"SA"}


def test_does_not_go_out_before_a_partner_who_has_called() -> None:
    round = table("SA", RIGHT, PARTNER, LEFT, turn=2, calls=(0, 0, 1, 0))
    assert plays(act(round, "2: plays S2", "3: plays GB")) == set()


def test_runs_home_when_nobody_can_stop_it() -> None:
    """Nobody beats three aces, and the four goes out behind them; first the four would lose the lead."""
    assert plays(table("SA RA GA S4", RIGHT, PARTNER, "G9 GK GB GZ Dr Ph")) == {"SA", "RA", "GA"}


# --- leading ----------------------------------------------------------------------------------------------------------


def test_leads_long_combinations_first() -> None:
    assert plays(table("S3 S4 R5 B6 G7 S9 RD", RIGHT, PARTNER, LEFT)) == {"S3", "S4", "R5", "B6", "G7"}


def test_leads_no_bomb() -> None:
    assert plays(table("S7 R7 B7 G7 S9 RB SD", RIGHT, PARTNER, LEFT)) == {"S9"}


def test_leads_no_low_single_to_an_opponents_last_card() -> None:
    hand = "S3 S8 SK S5 R5 RD"
    assert plays(table(hand, RIGHT, PARTNER, LEFT)) == {"S3"}
    assert plays(table(hand, "B9", PARTNER, LEFT)) == {"S5", "R5"}


def test_leads_no_low_pair_to_an_opponents_last_two_cards() -> None:
    hand = "S3 R3 S7 SB RD"
    assert plays(table(hand, RIGHT, PARTNER, LEFT)) == {"S3", "R3"}
    assert plays(table(hand, "B9 R9", PARTNER, LEFT)) == {"S7"}


def test_hands_over_with_the_dog_to_a_partner_who_called_or_is_nearly_out() -> None:
    assert plays(table("Hu S7 S9 RB", RIGHT, PARTNER, LEFT)) == {"S7"}
    assert plays(table("Hu S7 S9 RB", RIGHT, PARTNER, LEFT, calls=(0, 0, 1, 0))) == {"Hu"}
    assert plays(table("Hu S7 S9 RB", RIGHT, "S2 R2", LEFT)) == {"Hu"}


def test_keeps_the_dog_when_the_partner_is_out() -> None:
    assert plays(table("Hu S7 S9 RB", RIGHT, "", LEFT, out=(2,))) == {"S7"}


def test_leads_a_single_to_a_partner_who_has_called() -> None:
    hand = "SD RD S4 B3 R3 S9"
    assert plays(table(hand, RIGHT, PARTNER, LEFT)) == {"B3", "R3"}
    assert plays(table(hand, RIGHT, PARTNER, LEFT, calls=(0, 0, 1, 0))) == {"S4"}


# --- following --------------------------------------------------------------------------------------------------------


def test_pays_more_for_a_trick_with_points() -> None:
    poor = table(DRAGON, RIGHT, PARTNER, "GB GA G9 GZ GD", turn=1)
    assert plays(act(poor, "1: plays BB", "2: passes", "3: plays GA")) == set()
    rich = table(DRAGON, RIGHT, PARTNER, "GB GA G9 GZ GD", turn=1)
    assert plays(act(rich, "1: plays BK", "2: passes", "3: plays GA")) == {"Dr"}


def test_pays_more_for_the_lead_when_an_opponent_has_called() -> None:
    quiet = table(DRAGON, RIGHT, PARTNER, "GB GA G9 GZ GD", turn=3)
    assert plays(act(quiet, "3: plays GA")) == set()
    called = table(DRAGON, RIGHT, PARTNER, "GB GA G9 GZ GD", turn=3, calls=(0, 0, 0, 1))
    assert plays(act(called, "3: plays GA")) == {"Dr"}


def test_leaves_the_partner_a_trick_that_is_his() -> None:
    hand = "S5 R5 RA S8 SD"
    his = act(table(hand, RIGHT, PARTNER, LEFT, turn=2), "2: plays BA", "3: passes")
    assert plays(his) == set()
    not_yet_his = act(table(hand, RIGHT, PARTNER, LEFT, turn=2), "2: plays B4", "3: passes")
    assert plays(not_yet_his) == {"S8"}


def test_leaves_a_partner_who_has_called_every_trick() -> None:
    round = table("S5 R5 RA S8 SD", RIGHT, PARTNER, LEFT, turn=2, calls=(0, 0, 1, 0))
    assert plays(act(round, "2: plays B4", "3: passes")) == set()


def test_plays_high_against_an_opponents_last_card() -> None:
    hand = "S9 RB SA S3"
    assert plays(act(table(hand, RIGHT, PARTNER, LEFT, turn=3), "3: plays GZ")) == {"RB"}
    assert plays(act(table(hand, "B8", PARTNER, LEFT, turn=3), "3: plays GZ")) == {"SA"}


# --- bombs ------------------------------------------------------------------------------------------------------------

BOMB = "S7 R7 B7 G7 S9 RB SD S3"


def test_saves_its_bomb() -> None:
    round = act(table(BOMB, RIGHT, PARTNER, LEFT, turn=3), "3: plays G9")
    assert plays(round) == {"RB"}
    round = act(table(BOMB, RIGHT, PARTNER, LEFT, turn=2), "2: plays B4")
    assert not bombs(round)


def test_bombs_an_opponent_who_is_about_to_go_out() -> None:
    round = act(table(BOMB, RIGHT, PARTNER, "GA G2", turn=3), "3: plays GA")
    assert plays(round) == {"S7", "R7", "B7", "G7"}
    round = act(table(BOMB, "BA BK", PARTNER, LEFT, turn=1), "1: plays BA")
    assert bombs(round)


def test_bombs_the_strong_cards_of_an_opponent_who_has_called() -> None:
    called = table(BOMB, RIGHT, PARTNER, LEFT, turn=3, calls=(0, 0, 0, 1))
    assert plays(act(called, "3: plays Dr")) == {"S7", "R7", "B7", "G7"}


def test_bombs_a_trick_with_many_points() -> None:
    round = table(BOMB, "BZ BK BA B8 B9 B2", PARTNER, LEFT, turn=1)
    assert not bombs(act(round, "1: plays BZ", "2: passes"))
    round = table(BOMB, "BZ BK BA B8 B9 B2", "RK " + PARTNER, LEFT, turn=1)
    assert bombs(act(round, "1: plays BZ", "2: plays RK", "3: plays Dr"))


def test_bombs_its_way_home() -> None:
    round = table("S7 R7 B7 G7 S9", RIGHT, PARTNER, LEFT, turn=3)
    assert plays(act(round, "3: plays GK")) == {"S7", "R7", "B7", "G7"}


def test_never_bombs_the_partner_nor_itself() -> None:
    partners = act(table(BOMB, RIGHT, "BA S2", LEFT, turn=2), "2: plays BA")
    assert not bombs(partners)
    own = act(table(BOMB, RIGHT, "BA S2", LEFT), "0: plays SD")
    assert not bombs(own)


# --- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("high", "called"),
    [("Ph SA", True), ("Ph Dr", True), ("Dr SA RA", True), ("Ph", False), ("Dr SA", False), ("Dr SA RA Hu", False)],
)
def test_calls_a_grand_tichu_with_high_cards(high: str, called: bool) -> None:
    assert calls_grand(parse(high) | parse("S3 R5 B6 BB")) == called


def test_calls_a_tichu_with_few_turns_and_high_cards() -> None:
    strong = "Dr SA RA BK RK GK S9 R9 S4 S5 R6 B7 G8 S2"
    assert calls_tichu(parse(strong), leads=True)
    assert not calls_tichu(parse("BK RD BB S9 S8 B7 R7 S6 G5 B4 R4 S3 S2 G2"), leads=True)


def test_calls_no_tichu_with_the_dog_where_it_calls_without_it() -> None:
    assert calls_tichu(parse("Dr SA BK RD GD R9 S4 S5 R6 B7 G8 S2 GB BB"), leads=False)
    assert not calls_tichu(parse("Dr SA BK RD GD R9 S4 S5 R6 B7 G8 Hu GB BB"), leads=False)


def test_calls_when_it_is_to_move_but_not_over_its_partner() -> None:
    round = exchanged("Ma Dr Ph SA RA BA GA SK RK BK S9 R9 B9 S8")
    assert calls(round)
    round.announce(2)
    assert not calls(round)


# --- exchange ---------------------------------------------------------------------------------------------------------

STRONG = "Dr Ph SA RA BK GK SD RZ B9 R8 G7 B4 G3 S2"


def exchanging(hand: str, calls: tuple[int, ...] = ()) -> Round:
    """Before the exchange; the seats in ``calls`` have called a grand Tichu."""
    round = dealt(hand)
    for seat in range(4):
        round.decide_grand(seat, seat in calls)
    return round


def test_gives_the_opponents_low_cards_and_the_partner_a_high_one() -> None:
    right, partner, left = gives(exchanging("SA RA BK GK RD SB RZ B9 R8 G7 S6 B4 G3 S2"))
    assert {right, left} == {"S2", "G3"}
    assert partner in {"SA", "RA", "BK", "GK", "RD"}


def test_gives_even_ranks_to_the_right_and_odd_ones_to_the_left() -> None:
    right, _, left = gives(exchanging("SA RA BK GK RD SB RZ B9 R8 G7 S6 B4 G3 S2"))
    assert (right, left) == ("S2", "G3")


def test_gives_away_no_card_of_a_combination() -> None:
    right, _, left = gives(exchanging("SA RA BK GK RD SB B9 R8 G5 B4 G3 R2 B2 G2"))
    assert not {right, left} & {"R2", "B2", "G2"}


def test_gives_the_partner_the_best_card_when_he_has_called() -> None:
    assert gives(exchanging(STRONG, calls=(2,)))[1] == "Dr"


def test_keeps_the_dog_for_a_partner_who_has_called() -> None:
    hand = "Hu SA RA BK GK SD RZ B9 R8 G7 S6 B4 G3 R3"
    assert "Hu" not in gives(exchanging(hand, calls=(2,)))


def test_keeps_its_good_cards_when_it_has_called() -> None:
    assert gives(exchanging(STRONG, calls=(0,)))[1] in {"S2", "G3", "B4"}


# --- wish and dragon --------------------------------------------------------------------------------------------------


def wishes(round: Round) -> int:
    return AGENT.wish(PublicState(round), PrivateState(round, 0))


def test_wishes_for_the_highest_rank_that_it_does_not_hold() -> None:
    assert wishes(act(table("Ma SA S3", RIGHT, PARTNER, LEFT), "0: plays Ma")) == 13


def test_wishes_for_no_rank_that_is_all_but_played() -> None:
    round = table("Ma SA RB S3", "SK RK BK S4", "S5", "S6 R6", turn=1)
    act(round, "1: plays SK RK BK", "2: passes", "3: passes", "0: passes", "taken", "1: plays S4", "2: passes")
    act(round, "3: passes", "0: plays RB", "2: passes", "3: passes", "taken", "0: plays Ma")
    assert wishes(round) == 12


def test_does_not_wish_for_what_it_gave_its_partner() -> None:
    round = exchanging("Ma Dr Ph SK RK BK GK SD RD BD GD S3 G4 BA")
    round.give(0, parse("S3"), parse("BA"), parse("G4"))
    for seat in (1, 2, 3):
        round.give(seat, *list(each(round.hand(seat)))[:3])
    assert wishes(act(round, "0: plays Ma")) == 11


def test_gives_the_dragon_to_the_opponent_with_more_cards() -> None:
    def recipient(right: str, left: str) -> int:
        round = table("Dr S3", right, "S2", left)
        act(round, "0: plays Dr", "1: passes", "2: passes", "3: passes", "taken")
        return AGENT.choose_dragon_recipient(PublicState(round), PrivateState(round, 0))

    assert recipient("S4 S5", "S6") == 1
    assert recipient("S4", "S5 S6") == 3
    assert recipient("S4", "S5") == 3


# --- all together -----------------------------------------------------------------------------------------------------


def checksum(agents: list[TichuAgent], deals: int) -> str:
    """Of everything that the agents decide on so many deals, and of the scores."""
    log = blake2b(digest_size=8)

    def noted(name, decide):
        def note(*situation, **options):
            decision = decide(*situation, **options)
            log.update(f"{name} {decision}\n".encode())
            return decision

        return note

    for agent in agents:
        for name in ("announce", "schupf", "play", "bomb", "wish", "choose_dragon_recipient"):
            setattr(agent, name, noted(name, getattr(agent, name)))
    for seed in range(deals):
        log.update(str(play_round(Round.random(seed), agents).score()).encode())
    return log.hexdigest()


def test_decides_against_itself_as_it_always_has() -> None:
    """Whoever makes it faster changes no decision; whoever makes it better measures that and renews the checksum."""
    assert checksum([RuleAgent("rule") for _ in range(4)], deals=100) == "f9b287c2137e43e7"


def test_decides_against_chance_as_it_always_has() -> None:
    """Here it meets the positions that it would not have come into by itself."""
    agents = [RuleAgent("rule"), RandomAgent("random", Random(1)), RuleAgent("rule"), RandomAgent("random", Random(2))]
    assert checksum(agents, deals=100) == "6ff621f4665eaa8c"
