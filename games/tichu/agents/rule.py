"""The agent that plays by rules of thumb: each is a function, and its docstring is the rule.

The rules in ``LEADING`` and ``FOLLOWING`` say how good they find a play, in turns (:mod:`games.tichu.agents.outlook`);
the play with the highest sum is made. How much each has to say was measured on thousands of deals that were played
twice, with the seats exchanged.
"""

from collections.abc import Callable
from typing import TypeAlias

from games.tichu._core import BOMB, PAIR, SINGLE
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.outlook import Outlook
from games.tichu.cards import DECK, DOG, DRAGON, MAH_JONG, NATURALS, PHOENIX, CardSet, each, hand_order, value
from games.tichu.states import Meta, Play, PrivateState, PublicState, Triple


class Situation:
    """What a seat knows when it is to play, in the words of a player.

    :ivar fewest: cards of the opponent who is closest to going out.
    :ivar lead: what it is worth to lead the next trick, in turns.
    """

    def __init__(self, public: PublicState, private: PrivateState) -> None:
        self.hand = private.hand_cards
        seat = private.player_index
        partner = (seat + 2) % 4
        right, left = (seat + 1) % 4, (seat + 3) % 4
        counts = public.count_hand_cards
        calls = (0, 0, 0, 0) if public.finished else public.announcements  # those that may still be made
        owner = public.trick_owner_index
        opponent = owner in (right, left)
        self.fewest = min(counts[right] or 14, counts[left] or 14)
        self.partner_cards = counts[partner]
        self.partner_called = calls[partner] > 0
        self.opponent_called = calls[right] > 0 or calls[left] > 0
        self.top = public.trick_combination
        self.trick_points = public.trick_points
        self.partner_owns = owner == partner
        self.opponent_owns = opponent
        self.owner_cards = counts[owner] if opponent else 0
        self.owner_called = opponent and calls[owner] > 0
        self.outlook = Outlook(private.hidden_cards, (counts[right], counts[left]), self.partner_cards)
        self.turns = self.outlook.turns(self.hand)
        self.lead = worth_of_the_lead(self)


Rule: TypeAlias = Callable[[Situation, CardSet, Meta], float]


def four(rank: int) -> CardSet:
    """All cards of a rank."""
    return 0xF << 4 * rank


def kind_of(meta: Meta) -> int:
    return meta >> 16 & 0xFF


def twice_rank(meta: Meta) -> int:
    return meta & 0xFF


# --- every play -------------------------------------------------------------------------------------------------------


def worth_of_the_lead(now: Situation) -> float:
    """The lead is worth more when an opponent has called or holds few cards."""
    return 0.45 + 0.3 * now.opponent_called + 0.3 * (now.fewest <= 3) + 0.3 * (now.fewest == 1)


def keeps_combinations(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Break no combination, and get rid of what is hard to get rid of."""
    return now.turns - now.outlook.turns(now.hand & ~cards)


def goes_out(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Go out when you can, but not before a partner who has called."""
    if cards != now.hand:
        return 0.0
    return -5.0 if now.partner_called else 100.0


def plays_low(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Play low, keep high."""
    return -0.01 * twice_rank(meta)


def runs_home(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Play what is likely to stand if the rest then goes out without losing the lead."""
    if not cards or now.partner_called or not now.outlook.is_home(now.hand & ~cards):
        return 0.0
    return 3.0 * now.outlook.stands(meta) ** 3


# --- leading ----------------------------------------------------------------------------------------------------------


def leads_long(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Lead long combinations first."""
    return 0.1 * (meta >> 8 & 0xFF)


def leads_no_bomb(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Do not lead a bomb."""
    return -0.3 if kind_of(meta) == BOMB else 0.0


def leads_past_the_last_cards(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Lead no low single when an opponent holds one card, no low pair when he holds two."""
    if now.fewest == 1 and kind_of(meta) == SINGLE and cards != DOG:
        return -0.05 * (28 - twice_rank(meta))
    if now.fewest == 2 and kind_of(meta) == PAIR:
        return -0.025 * (28 - twice_rank(meta))
    return 0.0


def hands_over_with_the_dog(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Play the dog when the partner has called or is nearly out; keep it when he is out."""
    if cards != DOG:
        return 0.0
    if not now.partner_cards:
        return -0.2
    return 0.4 * (now.partner_cards <= 3) + 1.0 * now.partner_called


def leads_to_the_partner(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Lead singles to a partner who has called, and the lowest to one with a single card."""
    if kind_of(meta) != SINGLE or cards == DOG:
        return 0.0
    to_last_card = 0.02 * (30 - twice_rank(meta)) if now.partner_cards == 1 and now.fewest > 1 else 0.0
    return to_last_card + 0.2 * now.partner_called


LEADING: tuple[Rule, ...] = (
    keeps_combinations,
    goes_out,
    runs_home,
    plays_low,
    leads_long,
    leads_no_bomb,
    leads_past_the_last_cards,
    hands_over_with_the_dog,
    leads_to_the_partner,
)


# --- following; the pass is a play too --------------------------------------------------------------------------------


def takes_the_trick(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Take the lead and the points, as far as the play is likely to stand."""
    return now.outlook.stands(meta) * (now.lead + 0.02 * now.trick_points) if cards else 0.0


def leaves_the_partners_trick(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Leave the partner what he is likely to win, and leave him everything when he has called."""
    if cards or not now.partner_owns:
        return 0.0
    his = now.outlook.stands(now.top) * (now.lead + 0.02 * now.trick_points)
    return his + 1.5 * now.partner_called


def saves_bombs(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Save a bomb until it is worth it; then throw it."""
    if kind_of(meta) != BOMB:
        return 0.0
    return 2.0 if is_worth_a_bomb(now, cards) else -10.0


def is_worth_a_bomb(now: Situation, bomb: CardSet) -> bool:
    """Bomb an opponent who has called or is about to go out, a trick with many points, or to run home."""
    if not now.opponent_owns:
        return False
    runs_home = not now.partner_called and now.outlook.is_home(now.hand & ~bomb)
    return runs_home or now.trick_points >= 25 or now.owner_cards <= (8 if now.owner_called else 4)


def stops_the_last_card(now: Situation, cards: CardSet, meta: Meta) -> float:
    """Play a high single when an opponent holds one card."""
    if now.fewest > 1 or kind_of(meta) != SINGLE or now.partner_owns:
        return 0.0
    return 0.04 * twice_rank(meta)


FOLLOWING: tuple[Rule, ...] = (
    keeps_combinations,
    goes_out,
    runs_home,
    plays_low,
    takes_the_trick,
    leaves_the_partners_trick,
    saves_bombs,
    stops_the_last_card,
)


def worth(now: Situation, cards: CardSet, meta: Meta) -> float:
    """What all the rules say to a play."""
    turns = 0.0
    for rule in FOLLOWING if now.top else LEADING:
        # sum() rounds differently since Python 3.12, and plays are often worth the same.
        turns += rule(now, cards, meta)
    return turns


# --- calls and exchange -----------------------------------------------------------------------------------------------


def calls_grand(eight: CardSet) -> bool:
    """Call a grand Tichu with phoenix and ace, phoenix and dragon, or dragon and two aces; the dog costs an ace."""
    high = 3 * (eight & PHOENIX != 0) + 2 * (eight & DRAGON != 0) + (eight & four(14)).bit_count()
    return high - (eight & DOG != 0) >= 4


def calls_tichu(hand: CardSet, leads: bool) -> bool:
    """Call a Tichu with few turns to play and high cards, without the dog, rather when leading."""
    turns = Outlook(DECK & ~hand).turns(hand) + 1.5 * (hand & DOG != 0) - 0.3 * leads
    return turns - 1.3 * (hand & DRAGON != 0) - 1.0 * (hand & PHOENIX != 0) - 0.5 * (hand & four(14)).bit_count() < 1.25


def spare_card(hand: CardSet, outlook: Outlook) -> CardSet:
    """Give an opponent a low card that no combination needs."""
    low = [card for card in each(hand & ~MAH_JONG) if value(card) <= 10] or list(each(hand & NATURALS))
    return min(low, key=lambda card: outlook.turns(hand & ~card) + 0.15 * value(card))


def good_card(hand: CardSet, outlook: Outlook, partner_called: bool) -> CardSet:
    """Give the partner a high card that no combination needs; the best of all if he has called."""
    givable = hand & (NATURALS | DRAGON | PHOENIX) if partner_called else hand & NATURALS
    high = [card for card in each(givable) if value(card) >= 10] or hand_order(givable)[:1]
    worth = 0.9 if partner_called else 0.15
    return min(high, key=lambda card: outlook.turns(hand & ~card) - worth * value(card))


def worst_card(hand: CardSet, outlook: Outlook) -> CardSet:
    """Give the partner the least useful card after a grand Tichu, the dog if that is it."""
    return min(each(hand & (NATURALS | DOG)), key=lambda card: outlook.turns(hand & ~card))


# --- the agent --------------------------------------------------------------------------------------------------------


class RuleAgent(TichuAgent):
    """Plays by fixed rules, without chance."""

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        """Do not call when the partner has, or when somebody is out."""
        if public.announcements[(private.player_index + 2) % 4] or public.finished:
            return False
        hand = private.hand_cards
        return calls_grand(hand) if grand else calls_tichu(hand, leads=not public.trick_combination)

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        seat, hand = private.player_index, private.hand_cards
        outlook = Outlook(DECK & ~hand)
        called = public.announcements[seat] > 0
        partner_called = public.announcements[(seat + 2) % 4] > 0
        partner = worst_card(hand, outlook) if called else good_card(hand, outlook, partner_called)
        hand ^= partner
        if partner_called:
            hand &= ~DOG  # it will give him the lead
        one = spare_card(hand, outlook)
        other = spare_card(hand ^ one, outlook)
        # Even to the right, odd to the left: so an opponent does not get a pair from the two of us.
        right, left = sorted((one, other), key=lambda card: value(card) % 2)
        return right, partner, left

    def play(self, public: PublicState, private: PrivateState) -> Play:
        plays = private.legal_plays
        if len(plays) == 1:
            return plays[0]
        now = Situation(public, private)
        return max(plays, key=lambda play: worth(now, play[0], play[1]))

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        now = Situation(public, private)
        return next((bomb for bomb in private.bombs if is_worth_a_bomb(now, bomb[0])), None)

    def wish(self, public: PublicState, private: PrivateState) -> int:
        """Wish for the highest rank that is still about, not in the own hand, and not given to the partner."""
        given = private.given_schupf_cards
        own = private.hand_cards | (given[1] if given else 0)
        played = public.played_cards
        ranks = [rank for rank in range(14, 1, -1) if not own & four(rank) and (played & four(rank)).bit_count() < 3]
        return ranks[0] if ranks else 14

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        """Give the dragon to the opponent with more cards, to the left one if they hold as many."""
        right, left = (private.player_index + 1) % 4, (private.player_index + 3) % 4
        counts = public.count_hand_cards
        return right if counts[right] > counts[left] else left
