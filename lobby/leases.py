"""Which worker has which tables.

Tables are divided into shards by the checksum of their key. A worker has the tables of a shard while its lease, a row,
has not expired by the clock of the database; whoever finds an expired one takes it with one conditional update::

    worker A   claims 0..63   renews   renews   dies
    worker B                  claims 0..31 (A sheds its surplus)   ...   claims 32..63
"""

from datetime import UTC, datetime, timedelta
from math import ceil
from zlib import crc32

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from lobby.models import EngineLease, EngineNode

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def shard_of(key: str) -> int:
    """The shard of the table with this key."""
    return crc32(key.encode()) % settings.ENGINE_SHARDS


def engine_channel(shard: int) -> str:
    """Where the worker that has this shard listens; also the group of its clients."""
    return f"engine.{shard}"


def from_now(seconds: float) -> Combinable:
    """A time by the clock of the database."""
    return ExpressionWrapper(Now() + Value(timedelta(seconds=seconds)), output_field=DateTimeField())


def some_worker_is_alive() -> bool:
    """Whether tables are served at all."""
    return EngineNode.objects.filter(expires__gt=Now()).exists()


class Leases:
    """The leases of one worker.

    :param owner: its name, which no other worker has or had.
    :param ttl: seconds until the tables of a dead worker move on.
    :ivar surplus: shards that others should have; to be released when their tables are stopped.
    """

    def __init__(self, owner: str, ttl: float, shards: int) -> None:
        self.surplus: list[int] = []
        self._owner = owner
        self._ttl = ttl
        self._shards = shards

    def seize(self) -> None:
        """Takes everything at once, for a worker that can be the only one: any other is dead."""
        self._create()
        EngineNode.objects.exclude(name=self._owner).delete()
        self._take(range(self._shards))

    def renew(self) -> set[int]:
        """Keeps what it has and claims its share of what is free.

        :result: the shards that it has now.
        """
        self._create()
        rows = EngineLease.objects.filter(shard__lt=self._shards)
        rows.filter(owner=self._owner).update(renewed=Now(), expires=from_now(self._ttl))
        EngineNode.objects.update_or_create(name=self._owner, defaults={"expires": from_now(self._ttl)})
        EngineNode.objects.filter(expires__lt=Now()).delete()
        share = ceil(self._shards / EngineNode.objects.count())
        mine = rows.filter(owner=self._owner).count()
        if mine < share:
            free = rows.filter(expires__lt=Now()).order_by("shard").values_list("shard", flat=True)
            self._take(list(free[: share - mine]), expires__lt=Now())
        shards = list(rows.filter(owner=self._owner).values_list("shard", flat=True))
        self.surplus = shards[share:]
        return set(shards)

    def release(self, shards: list[int]) -> None:
        """Gives shards back."""
        EngineLease.objects.filter(shard__in=shards, owner=self._owner).update(owner="", expires=Now())

    def end(self) -> None:
        """The worker stops."""
        EngineLease.objects.filter(owner=self._owner).update(owner="", expires=Now())
        EngineNode.objects.filter(name=self._owner).delete()

    def _create(self) -> None:
        if EngineLease.objects.count() < self._shards:
            EngineLease.objects.bulk_create(
                (EngineLease(shard=shard, renewed=LONG_AGO, expires=LONG_AGO) for shard in range(self._shards)),
                ignore_conflicts=True,
            )

    def _take(self, shards: list[int] | range, **conditions: object) -> None:
        """One conditional update: of two workers that try, one gets a row."""
        EngineLease.objects.filter(shard__in=shards, **conditions).update(
            owner=self._owner,
            epoch=F("epoch") + 1,
            lost=F("renewed"),
            renewed=Now(),
            expires=from_now(self._ttl),
        )
