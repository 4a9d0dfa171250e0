"""Which worker has which tables. ``test_postgresql.py`` runs these tests on the other database too."""

import time

import pytest
from django.db.models.functions import Now

from lobby.leases import Leases, from_now, shard_of, some_worker_is_alive
from lobby.models import EngineLease, EngineNode

pytestmark = pytest.mark.django_db

SHARDS = 8
TTL = 60.0


def worker(name, ttl=TTL):
    return Leases(name, ttl, SHARDS)


def expire(**which):
    """The owner has not given a sign of life for long."""
    EngineLease.objects.filter(**which).update(expires=from_now(-1))


def test_a_worker_alone_has_all_shards():
    assert worker("a").renew() == set(range(SHARDS))


def test_nobody_gets_what_another_has():
    first, second = worker("a"), worker("b")
    first.renew()
    assert second.renew() == set()


def test_a_second_worker_gets_its_share_when_the_first_one_sheds_its_surplus():
    first, second = worker("a"), worker("b")
    first.renew()
    second.renew()
    first.renew()
    assert first.surplus == [4, 5, 6, 7]
    first.release(first.surplus)
    assert second.renew() == {4, 5, 6, 7}
    assert first.renew() == {0, 1, 2, 3}


def test_the_tables_of_a_dead_worker_move_on():
    first, second = worker("a"), worker("b")
    first.renew()
    expire(owner="a")
    EngineNode.objects.filter(name="a").update(expires=from_now(-1))
    assert second.renew() == set(range(SHARDS))
    assert first.renew() == set()


def test_a_lease_expires_by_the_clock_of_the_database():
    first, second = worker("a", ttl=0.2), worker("b")
    first.renew()
    time.sleep(0.3)
    assert second.renew() == set(range(SHARDS))


def test_a_worker_that_was_late_keeps_what_nobody_took():
    first = worker("a")
    first.renew()
    expire(owner="a")
    assert first.renew() == set(range(SHARDS))
    assert not EngineLease.objects.filter(expires__lt=Now()).exists()


def test_of_two_workers_that_claim_one_gets_the_shard():
    first, second = worker("a"), worker("b")
    first.renew()
    expire(shard=3)
    assert EngineLease.objects.filter(shard=3, expires__lt=Now()).exists()
    EngineNode.objects.filter(name="a").delete()
    second.renew()
    assert EngineLease.objects.get(shard=3).owner == "b"
    assert 3 not in first.renew()


def test_each_owner_is_a_new_epoch_and_leaves_a_last_sign_of_life():
    first, second = worker("a"), worker("b")
    first.renew()
    renewed = EngineLease.objects.get(shard=0).renewed
    EngineNode.objects.all().delete()
    expire()
    second.renew()
    lease = EngineLease.objects.get(shard=0)
    assert (lease.owner, lease.epoch, lease.lost) == ("b", 2, renewed)


def test_a_worker_that_can_be_the_only_one_waits_for_nobody():
    first, second = worker("a"), worker("b")
    first.renew()
    second.seize()
    assert EngineLease.objects.filter(owner="b").count() == SHARDS
    assert second.renew() == set(range(SHARDS))
    assert second.surplus == []


def test_a_worker_that_stops_gives_everything_back():
    first, second = worker("a"), worker("b")
    first.renew()
    assert some_worker_is_alive()
    first.end()
    assert not some_worker_is_alive()
    assert second.renew() == set(range(SHARDS))


def test_the_shard_of_a_table_depends_on_its_key_alone(settings):
    settings.ENGINE_SHARDS = 64
    assert shard_of("Tisch 1") == shard_of("Tisch 1")
    assert {shard_of(str(number)) for number in range(2000)} == set(range(64))
