"""Tables in the admin: who sits where, which worker has them. Nothing is edited here but by the tables themselves."""

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from games.admin import ReadOnly
from lobby.leases import engine_channel, shard_of
from lobby.models import EngineLease, EngineNode, LobbyTable, Session
from lobby.seating import Place


class SessionInline(ReadOnly, admin.TabularInline):
    model = Session
    fields = ["name", "seat", "place", "created"]
    readonly_fields = ["created"]


@admin.register(LobbyTable)
class LobbyTableAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["name", "game", "people", "match", "created", "idle_since", "closed"]
    list_filter = ["game", ("closed", admin.EmptyFieldListFilter)]
    search_fields = ["name", "sessions__name"]
    inlines = [SessionInline]
    actions = ["close"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[LobbyTable]:
        return super().get_queryset(request).select_related("match").prefetch_related("sessions")

    def people(self, table: LobbyTable) -> str:
        return ", ".join(session.name for session in table.sessions.all() if session.place == Place.SEATED)

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whoever might change tables, if they could be changed."""
        return request.user.has_perm("lobby.change_lobbytable")

    @admin.action(description="Close the selected tables", permissions=["close"])
    def close(self, request: HttpRequest, tables: QuerySet[LobbyTable]) -> None:
        """Asks the engine to; whoever is connected is told."""
        send = async_to_sync(get_channel_layer().send)
        for key in tables.filter(closed=None).values_list("key", flat=True):
            send(engine_channel(shard_of(key)), {"type": "shut", "table": key, "reason": "closed"})


@admin.register(EngineNode)
class EngineNodeAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["name", "expires"]


@admin.register(EngineLease)
class EngineLeaseAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["shard", "owner", "epoch", "renewed", "expires"]
