"""Pages of the lobby: the list of open tables, and the admin."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from lobby.leases import engine_channel, shard_of
from lobby.models import EngineLease, EngineNode, LobbyTable, Session
from lobby.seating import Place

pytestmark = pytest.mark.django_db


@pytest.fixture
def table():
    table = LobbyTable.objects.create(key="blue", name="Blue", game="tichu", strengths=["RuleAgent"] * 4, host=0)
    for seat, place in enumerate([Place.SEATED, Place.SEATED, Place.AWAY, Place.OVER]):
        Session.objects.create(table=table, digest=f"secret{seat}", name=f"P{seat}", seat=seat, place=place)
    return table


@pytest.fixture
def admin_site(admin_user: User) -> Client:
    site = Client()
    site.force_login(admin_user)
    return site


def test_open_tables_are_listed_with_people_and_free_seats(client, table):
    response = client.get("/tables.json")
    assert response.json() == {"tables": [{"name": "Blue", "game": "tichu", "players": ["P0", "P1"], "free_seats": 2}]}
    assert "no-store" in response["Cache-Control"]


def test_closed_tables_are_not_listed(client, table):
    LobbyTable.objects.update(closed=timezone.now())
    assert client.get("/tables.json").json() == {"tables": []}


def test_the_list_can_only_be_read(client):
    assert client.post("/tables.json").status_code == 405


def test_the_admin_shows_who_sits_where_and_no_secret(admin_site, table):
    """Protocol 7."""
    listed = admin_site.get("/admin/lobby/lobbytable/").content.decode()
    assert "P0, P1" in listed
    shown = admin_site.get(f"/admin/lobby/lobbytable/{table.pk}/change/").content.decode()
    assert "P3" in shown
    assert "secret" not in listed + shown


def test_the_admin_shows_the_workers(admin_site):
    now = timezone.now()
    EngineNode.objects.create(name="worker 7", expires=now)
    EngineLease.objects.create(shard=3, owner="worker 7", renewed=now, expires=now)
    for model in ("enginenode", "enginelease"):
        assert "worker 7" in admin_site.get(f"/admin/lobby/{model}/").content.decode()


def test_an_admin_asks_the_engine_to_close_a_table(admin_site, table, monkeypatch):
    """Protocol 1."""
    sent = []

    class Layer:
        async def send(self, channel, message):
            sent.append((channel, message))

    monkeypatch.setattr("lobby.admin.get_channel_layer", Layer)
    action = {"action": "close", "_selected_action": [table.pk]}
    assert admin_site.post("/admin/lobby/lobbytable/", action).status_code == 302
    assert sent == [(engine_channel(shard_of("blue")), {"type": "shut", "table": "blue", "reason": "closed"})]


def test_who_may_only_look_closes_nothing(table, django_user_model):
    user = django_user_model.objects.create_user("looker", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_lobbytable"))
    site = Client()
    site.force_login(user)
    assert 'value="close"' not in site.get("/admin/lobby/lobbytable/").content.decode()
