"""Replays of matches: every position is the engine's, and nobody sees what is secret or not for him."""

import json
import re
from functools import cache

import msgspec
import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from games import journal, replay, views
from games.game import Result
from games.models import Match, MatchEvent
from games.tichu import cards as deck
from games.tichu import wire
from games.tichu._core import DONE
from games.tichu.game import Options
from tests.arena.examples import check_examples
from tests.games.tichu.matches import TICHU, random_match

PLAYERS = [("Ada", ""), ("Ben", ""), ("Cleo", ""), ("Dan", "")]
LABELS = re.compile(r"(?:[SBGR][2-9ZBDKA]|Hu|Ma|Dr|Ph)(?=[SBGRHMDP\"])")


def actions_of(steps):
    return [(step.seat, step.action) for step in steps]


@pytest.mark.parametrize("module", [replay, views])
def test_the_examples_are_right(module):
    check_examples(module)


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
def test_every_position_is_that_of_the_engine(rules):
    """Hands, turn, calls, points, wish and the open trick as any seat of the table would be told them."""
    match = [(engine.state, step) for engine, step in random_match(seed=4, rules=rules)]
    steps = [
        step
        for actions in replay.rounds(actions_of(step for _, step in match))
        for step in replay.steps(actions, Options(rules=rules))
    ]
    assert len(steps) == len(match) - 1  # the end of the match is no step
    for (state, _), step in zip(match, steps, strict=False):
        public = TICHU.observe(state, 0)["public_state"]
        hands = ["".join(map(deck.label, deck.hand_order(state.round.hand(seat)))) for seat in range(4)]
        assert list(step.hands) == hands
        assert list(step.calls) == list(public["announcements"])
        assert step.wish == max(public["wish_value"], 0)
        if state.round.phase != DONE:
            assert step.turn == public["current_turn_index"]
            assert list(step.points) == [state.round.points(seat) for seat in range(4)]


def test_the_open_trick_is_that_of_the_engine():
    """Also after the dog, which lies in the trick of the seat that got the lead from it."""
    for actions in replay.rounds(actions_of(step for _, step in random_match(seed=9))):
        state = TICHU.start(Options())
        steps = replay.steps(actions, Options())
        for (seat, action), step in zip(actions, steps, strict=True):
            TICHU.apply(state, seat, action)
            if state.round.phase != DONE and wire.top(state.round):
                lying = [(steps[at].seat, steps[at].cards) for at in step.trick]
                told = [(seat, "".join(map(deck.label, deck.hand_order(cards)))) for seat, cards, _ in state.tricks[-1]]
                assert lying == told


def test_the_last_step_brings_what_the_round_brought():
    """Together the rounds are the score of the match."""
    *_, (engine, _) = match = list(random_match(seed=5))
    totals = [0, 0]
    for actions in replay.rounds(actions_of(step for _, step in match)):
        last = replay.steps(actions, Options())[-1]
        assert last.result == (last.points[0] + last.points[2], last.points[1] + last.points[3])
        totals = [total + points for total, points in zip(totals, last.result, strict=True)]
    assert totals == list(engine.result.scores)


def test_the_exchange_is_shown_until_somebody_plays():
    """Rules 3.3."""
    steps = replay.steps(up_to_the_first_play(), Options())
    exchange = [step for step in steps if step.did == "schupf"]
    assert [sum(map(bool, step.gifts)) for step in exchange] == [1, 2, 3, 4]
    assert list(exchange[-1].gifts) == [step.cards for step in sorted(exchange, key=lambda step: step.seat)]
    assert steps[-1].did == "play"
    assert steps[-1].gifts == ()


def up_to_the_first_play():
    """The beginning of some match."""
    actions = actions_of(step for _, step in random_match(seed=2, bombs=0))
    end = next(at for at, (_, action) in enumerate(actions) if action["action"] == "play")
    return actions[: end + 1]


def test_a_trick_says_who_took_it_and_what_it_was_worth():
    """Rules 1.2: kings and tens count ten."""
    taken = [
        step
        for actions in replay.rounds(actions_of(step for _, step in random_match(seed=6)))
        for step in replay.steps(actions, Options())
        if step.did == "take"
    ]
    assert {step.seat for step in taken} == {0, 1, 2, 3}
    assert max(step.value for step in taken) >= 20


def test_a_round_is_small():
    """At most some 60 KB, before it is compressed."""
    for actions in replay.rounds(actions_of(played())):
        steps = replay.steps(actions, Options())
        found = replay.Replay(("match", "x", 1), ("Ada", "Ben"), ["Ada"] * 4, [], 1, steps)
        assert len(msgspec.json.encode(found)) < 60_000


def test_names_that_run_leftward_turn_nothing_around_them():
    names = ["Ada", "שלום", "مرحبا", "\u202eBen"]
    assert replay.told_apart(names) == ["Ada", "\u2068שלום\u2069", "\u2068مرحبا\u2069", "Ben"]
    assert replay.teams(names) == ("Ada & \u2068مرحبا\u2069", "\u2068שלום\u2069 & Ben")


def test_notes_stand_at_their_step():
    actions = up_to_the_first_play()
    steps = replay.steps(actions, Options(), {3: [replay.Note("call_twice")]})
    assert [at for at, step in enumerate(steps) if step.notes] == [3]


# --- the page of a match ----------------------------------------------------------------------------------------------


@pytest.fixture
def staff(client):
    """Somebody who may look at matches, and at nothing else."""
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_match"))
    client.force_login(user)
    return client


@cache
def played():
    """The steps of a match."""
    return [step for _, step in random_match(seed=80)]


def stored(outcome="finished", events=None):
    match = journal.create("Stammtisch", TICHU, Options(), PLAYERS)
    rows = played()[:events]
    MatchEvent.objects.bulk_create(
        MatchEvent(match=match, number=step.number, seat=step.seat, action=step.action, table_number=step.number)
        for step in rows
    )
    if outcome == "finished":
        journal.finish(match.pk, Result((1010, 390), winners=(0, 2)))
    elif outcome == "abandoned":
        journal.abandon(match.pk)
    return Match.objects.get(pk=match.pk)


def address(match):
    return reverse("replay-match", args=[match.pk])


@pytest.mark.django_db
def test_each_round_comes_by_itself(staff):
    match = stored()
    rounds = list(replay.rounds(match.events.order_by("number").values_list("seat", "action")))
    for number in (1, 7, len(rounds)):
        response = staff.get(address(match), {"round": number})
        found = response.json()
        assert response.headers["Cache-Control"] == "private"
        assert (found["number"], len(found["steps"])) == (number, len(rounds[number - 1]))
        assert found["results"][number - 1] == found["steps"][-1]["result"]
        assert (found["seats"], len(found["results"])) == (["Ada", "Ben", "Cleo", "Dan"], len(rounds))


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["0", "28", "-1", "x", "", "1.5"])
def test_there_is_no_other_round(staff, number):
    assert staff.get(address(stored()), {"round": number}).status_code == 404


@pytest.mark.django_db
def test_a_match_that_was_given_up_is_shown_up_to_its_end(staff):
    found = staff.get(address(stored("abandoned", events=300)), {"round": 3}).json()
    assert found["results"][2] is None
    assert 126 + 128 + len(found["steps"]) == 300


@pytest.mark.django_db
def test_only_the_end_of_a_match_that_was_given_up_says_so(staff):
    match = stored("abandoned", events=300)
    for number, notes in [(2, None), (3, [{"code": "abandoned"}])]:
        last = staff.get(address(match), {"round": number}).json()["steps"][-1]
        assert last.get("notes") == notes


@pytest.mark.django_db
def test_a_round_leads_back_to_its_match_in_the_admin(staff):
    match = stored()
    found = staff.get(address(match), {"round": 1}).json()
    assert staff.get(found["home"]).status_code == 200
    assert (found["before"], found["after"]) == ("", "")


@pytest.mark.django_db
def test_the_page_names_the_match(staff):
    match = stored()
    text = staff.get(address(match)).content.decode()
    assert f"<title>Ada &amp; Cleo – Ben &amp; Dan · Stammtisch #{match.pk}</title>" in text
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", text)  # the content security policy


@pytest.mark.django_db
@pytest.mark.parametrize("query", [{}, {"round": 1}])
def test_nobody_sees_a_running_match(staff, query):
    """docs/protocol.md 7: not even an admin; its cards are secret."""
    response = staff.get(address(stored("running", events=200)), query, headers={"accept-language": "en"})
    text = response.content.decode()
    assert response.status_code == 403
    assert "This match is still being played." in text
    assert not LABELS.findall(text)


@pytest.mark.django_db
def test_a_match_that_is_not_there_is_said_to_be_so(staff):
    response = staff.get(reverse("replay-match", args=[999]))
    assert response.status_code == 404
    assert "Diese Partie gibt es nicht." in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "?round=1"])
def test_strangers_are_asked_to_log_in(client, query):
    match = stored()
    response = client.get(address(match) + query)
    assert (response.status_code, response.url.partition("?")[0]) == (302, "/admin/login/")


@pytest.mark.django_db
@pytest.mark.parametrize("user", [{"is_staff": True}, {"is_staff": False}])
@pytest.mark.parametrize("query", [{}, {"round": 1}])
def test_staff_without_the_permission_and_others_see_nothing(client, user, query):
    someone = User.objects.create_user("kim", **user)
    if not user["is_staff"]:
        someone.user_permissions.add(Permission.objects.get(codename="view_match"))
    client.force_login(someone)
    response = client.get(address(stored()), query)
    assert response.status_code == 403
    assert "Das darfst du nicht ansehen." in response.content.decode()
    assert not LABELS.findall(json.dumps(response.content.decode()))


@pytest.mark.django_db
def test_nothing_can_be_sent(staff):
    assert staff.post(address(stored())).status_code == 405


@pytest.mark.django_db
def test_the_admin_leads_from_a_match_that_is_over_to_its_replay(client):
    client.force_login(User.objects.create_superuser("root"))
    over, running = stored(), stored("running", events=100)
    texts = [
        client.get(reverse("admin:games_match_change", args=[match.pk])).content.decode() for match in (over, running)
    ]
    assert [address(match) in text for match, text in zip((over, running), texts, strict=True)] == [True, False]
