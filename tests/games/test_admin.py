"""Matches in the admin: everything to see, nothing to change, and no cards of a running match (docs/protocol.md 7)."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from games import journal
from games.game import Result
from games.models import Match, MatchEvent
from games.tichu import cards as deck
from games.tichu.game import Options
from tests.games.tichu.matches import TICHU, random_match

pytestmark = pytest.mark.django_db

LABELS = re.compile(r"\b(?:[SBGR][2-9ZBDKA]|Hu|Ma|Dr|Ph)\b")


@pytest.fixture
def admin(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def running() -> Match:
    return recorded("Stammtisch", actions=40)


@pytest.fixture
def finished() -> Match:
    match = recorded("Finale", actions=400)
    journal.finish(match.pk, Result((1010, 390), winners=(0, 2)))
    match.refresh_from_db()
    return match


def recorded(table_name, actions):
    seats = [("Ada", ""), ("RuleAgent_2", "RuleAgent"), ("<script>", ""), ("RuleAgent_4", "RuleAgent")]
    match = journal.create(table_name, TICHU, Options(), seats)
    for _, step in random_match(seed=80, bombs=0):
        journal.append(match.pk, step, step.number)
        if step.number == actions:
            return match
    return match


def page(admin, name, *args, **query):
    response = admin.get(reverse(f"admin:games_{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_list_says_who_played_and_what_came_of_it(admin, running, finished):
    text = page(admin, "match_changelist")
    assert "Ada, RuleAgent_2, &lt;script&gt;, RuleAgent_4" in text
    assert "1010 : 390" in text


@pytest.mark.parametrize(("query", "found"), [("Finale", ["Finale"]), ("ada", ["Finale", "Stammtisch"]), ("Eva", [])])
def test_matches_are_found_by_table_and_by_player(admin, running, finished, query, found):
    text = page(admin, "match_changelist", q=query)
    assert [name for name in ("Finale", "Stammtisch") if f">{name}<" in text] == found


def test_matches_are_filtered_by_outcome(admin, running, finished):
    text = page(admin, "match_changelist", outcome__exact="running")
    assert ">Stammtisch<" in text
    assert ">Finale<" not in text


def test_a_finished_match_shows_its_rounds_as_text(admin, finished):
    text = page(admin, "match_change", finished.pk)
    actions = list(finished.events.values_list("seat", "action"))
    rounds = sum(action["action"] == "deal" for _, action in actions)
    assert text.count("<details>") == rounds > 1
    assert f"<summary>Round {rounds}</summary>" in text
    assert TICHU.text(actions[-1:]).strip() in text


def test_a_finished_match_leads_to_its_events(admin, running, finished):
    (url,) = re.findall(r'href="(.*?)">400 events', page(admin, "match_change", finished.pk))
    text = admin.get(url).content.decode()
    assert "no grand Tichu" in text
    assert "Stammtisch" not in text


def test_a_running_match_shows_no_card_anywhere(admin, running):
    event = running.events.get(number=1)
    texts = [
        page(admin, "match_changelist"),
        page(admin, "match_change", running.pk),
        page(admin, "matchevent_changelist", match__id__exact=running.pk),
        page(admin, "matchevent_change", event.pk),
    ]
    assert [LABELS.findall(text) for text in texts] == [[], [], [], []]
    assert "hidden until the match is over" in texts[1]
    assert len(set(LABELS.findall(" ".join(event.action["hands"])))) == len(list(deck.each(deck.DECK)))


@pytest.mark.parametrize("lookup", ["action__icontains", "action__hands__0__startswith", "match__events__action"])
def test_no_filter_tells_what_is_hidden(admin, running, lookup):
    response = admin.get(reverse("admin:games_matchevent_changelist"), {lookup: "S2"})
    assert response.status_code in (302, 400)


@pytest.mark.parametrize("name", ["match", "matchevent"])
def test_nothing_can_be_changed(admin, finished, name):
    pk = (finished if name == "match" else finished.events.get(number=1)).pk
    assert admin.get(reverse(f"admin:games_{name}_add")).status_code == 403
    assert admin.post(reverse(f"admin:games_{name}_delete", args=[pk]), {"post": "yes"}).status_code == 403
    assert admin.post(reverse(f"admin:games_{name}_change", args=[pk]), {"table_name": "x"}).status_code == 403
    assert (Match.objects.count(), MatchEvent.objects.count()) == (1, 400)


def test_the_pages_need_nothing_that_the_content_security_policy_forbids(admin, finished):
    text = page(admin, "match_change", finished.pk)
    assert not re.search(r"<script(?![^>]* src=)(?![^>]*application/json)|<style|\sstyle=|\son\w+=", text)
