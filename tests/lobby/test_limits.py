"""Limits against abuse (protocol 8)."""

import pytest

from lobby.limits import Bucket, Buckets, Counts


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time():
    return Time()


def taken(bucket: Bucket, times: int) -> int:
    return sum(bucket.take() for _ in range(times))


def test_a_bucket_lets_a_burst_through_and_then_so_much_a_second(time):
    bucket = Bucket(rate=20, burst=40, now=time)
    assert taken(bucket, 100) == 40
    time.now += 1
    assert taken(bucket, 100) == 20
    time.now += 1000
    assert taken(bucket, 100) == 40


def test_a_rate_of_0_is_no_limit(time):
    assert taken(Bucket(rate=0, burst=0, now=time), 1000) == 1000


def test_a_bucket_is_full_when_nothing_was_taken_for_long(time):
    bucket = Bucket(rate=1, burst=2, now=time)
    assert bucket.is_full
    bucket.take()
    assert not bucket.is_full
    time.now += 1
    assert bucket.is_full


def test_addresses_have_buckets_of_their_own():
    buckets = Buckets(per_minute=30)
    assert sum(buckets.take("here") for _ in range(100)) == 30
    assert buckets.take("there")


def test_addresses_that_were_quiet_are_forgotten():
    buckets = Buckets(per_minute=6_000_000)
    for address in range(10_000):
        buckets.take(str(address))
    assert len(buckets) < 5_000


def test_0_per_minute_is_no_limit():
    buckets = Buckets(per_minute=0)
    assert all(buckets.take("here") for _ in range(1000))


def test_so_many_at_the_same_time():
    counts = Counts(most=2)
    assert [counts.add("here") for _ in range(3)] == [True, True, False]
    counts.remove("here")
    counts.remove("here")
    assert counts.add("here")
    assert counts.add("there")


def test_0_at_the_same_time_is_no_limit():
    counts = Counts(most=0)
    assert all(counts.add("here") for _ in range(100))
