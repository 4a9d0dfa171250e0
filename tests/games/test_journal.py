"""Matches in the database (real SQLite): what stands there is the match."""

from itertools import islice

import pytest
from django.db import IntegrityError, transaction

from games import journal
from games.game import Result
from games.models import Match, MatchEvent
from games.tichu.game import Options
from tests.games.tichu.matches import TICHU, playing, random_match, wire

pytestmark = pytest.mark.django_db

SEATS = [("Ada", ""), ("RuleAgent_2", "RuleAgent"), ("Bob", ""), ("RuleAgent_4", "RuleAgent")]


@pytest.fixture
def match() -> Match:
    return journal.create("Stammtisch", TICHU, Options(rules="pocket", target_score=200), SEATS)


def seen(engine):
    return [TICHU.observe(engine.state, seat) | dict(TICHU.private(engine.state, seat)) for seat in range(4)]


def test_a_match_knows_its_table_its_options_and_who_sits_where(match):
    match.refresh_from_db()
    assert (match.table_name, match.game) == ("Stammtisch", "tichu")
    assert match.options == {"rules": "pocket", "target_score": 200}
    assert match.is_running
    assert [(seat.name, seat.agent) for seat in match.seats.all()] == SEATS


def test_a_match_without_actions_loads_as_it_starts(match):
    loaded = journal.load(match.pk)
    assert (loaded.engine.number, loaded.engine.options, loaded.table_number) == (0, Options("pocket", 200), 0)


def first_steps(count):
    """The beginning of a random match, and its engine then."""
    played = list(islice(random_match(seed=70, rules="pocket", target_score=200), count))
    return played[-1][0], [step for _, step in played]


def test_a_match_loads_as_it_was_after_its_last_action(match):
    table_number = 5
    engine, steps = first_steps(150)
    for step in steps:
        table_number += len(step.events)
        journal.append(match.pk, step, table_number)
    loaded = journal.load(match.pk)
    assert loaded.table_number == table_number
    assert loaded.engine.requests == engine.requests
    assert seen(loaded.engine) == seen(engine)


def test_the_cards_that_were_dealt_stand_in_the_journal(match):
    """Not a seed: it must replay after the shuffle has changed."""
    _, step = next(random_match(seed=71))
    journal.append(match.pk, step, 6)
    action = MatchEvent.objects.get().action
    assert sorted(" ".join(action["hands"]).split()) == sorted(set(" ".join(action["hands"]).split()))
    assert (action["action"], len(" ".join(action["hands"]).split())) == ("deal", 56)


def test_two_workers_cannot_append_the_same_action(match):
    _, step = next(random_match(seed=72))
    journal.append(match.pk, step, 6)
    with pytest.raises(IntegrityError), transaction.atomic():
        journal.append(match.pk, step, 6)
    assert match.events.count() == 1


def test_a_command_is_appended_once_in_a_match(match):
    engine = playing("Ma S2 S3", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    step = engine.prepare(0, {"action": "play", "cards": wire("S2")})
    engine.commit(step)
    following = engine.prepare(1, {"action": "play", "cards": []})
    journal.append(match.pk, step, 1, command="12:a")
    with pytest.raises(IntegrityError), transaction.atomic():
        journal.append(match.pk, following, 2, command="12:a")
    journal.append(match.pk, following, 2, command="12:b")
    other = journal.create("other", TICHU, Options(), SEATS)
    journal.append(other.pk, step, 1, command="12:a")
    assert MatchEvent.objects.count() == 3


def test_actions_without_a_command_do_not_collide(match):
    engine = playing("Ma S2 S3", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    for seat, cards in ((0, wire("S2")), (1, [])):
        step = engine.prepare(seat, {"action": "play", "cards": cards})
        engine.commit(step)
        journal.append(match.pk, step, step.number)
    assert list(match.events.values_list("command", flat=True)) == [None, None]


def test_whoever_takes_a_seat_stands_in_its_row(match):
    journal.change_seat(match.pk, 1, "Cem")
    journal.change_seat(match.pk, 2, "RuleAgent_3", "RuleAgent")
    seats = [(seat.name, seat.agent) for seat in match.seats.all()]
    assert seats == [SEATS[0], ("Cem", ""), ("RuleAgent_3", "RuleAgent"), SEATS[3]]


def test_a_finished_match_has_its_scores(match):
    result = None
    for engine, _ in random_match(seed=73, target_score=100):
        result = engine.result
    journal.finish(match.pk, result)
    match.refresh_from_db()
    assert (match.outcome, match.scores) == ("finished", list(result.scores))
    assert match.finished >= match.started


def test_what_is_over_stays_as_it_ended(match):
    journal.abandon(match.pk)
    match.refresh_from_db()
    assert (match.outcome, match.scores) == ("abandoned", None)
    journal.finish(match.pk, Result((1000, 0), winners=(0, 2)))
    match.refresh_from_db()
    assert match.outcome == "abandoned"
