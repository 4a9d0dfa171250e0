"""Matches in the admin: who played, what came of it, every action, the rounds as text. Nothing can be changed here.

While a match runs nobody sees its actions: the cards that are dealt stand in them.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from games import registry
from games.game import Action
from games.models import Match, MatchEvent, MatchSeat

HIDDEN = "hidden until the match is over"


class ReadOnly:
    """Shows and never changes."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MatchSeatInline(ReadOnly, admin.TabularInline):
    model = MatchSeat
    fields = ["seat", "name", "agent"]


@admin.register(Match)
class MatchAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["id", "table_name", "game", "players", "outcome", "result", "started", "finished"]
    list_filter = ["outcome", "game", "started"]
    search_fields = ["table_name", "seats__name"]
    search_help_text = "Table or player"
    date_hierarchy = "started"
    fields = ["table_name", "game", "options", "outcome", "result", "started", "finished", "events", "watch", "rounds"]
    inlines = [MatchSeatInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).prefetch_related("seats")

    @admin.display
    def players(self, match: Match) -> str:
        return ", ".join(seat.name for seat in match.seats.all())

    @admin.display
    def result(self, match: Match) -> str:
        return " : ".join(map(str, match.scores or ["-"]))

    @admin.display
    def events(self, match: Match) -> SafeString:
        url = reverse("admin:games_matchevent_changelist")
        return format_html('<a href="{}?match__id__exact={}">{} events</a>', url, match.pk, match.events.count())

    @admin.display(description="replay")
    def watch(self, match: Match) -> SafeString | str:
        if match.is_running:
            return HIDDEN
        return format_html('<a href="{}">step by step</a>', reverse("replay-match", args=[match.pk]))

    @admin.display
    def rounds(self, match: Match) -> SafeString | str:
        if match.is_running:
            return HIDDEN
        game = registry.get(match.game)
        texts = map(game.text, _rounds(match.events.order_by("number").values_list("seat", "action")))
        return format_html_join(
            "",
            "<details><summary>Round {}</summary><pre>{}</pre></details>",
            ((number, text) for number, text in enumerate(texts, start=1)),
        )


def _rounds(actions: Iterable[tuple[int | None, Action]]) -> Iterator[list[tuple[int | None, Action]]]:
    """The actions from one deal to the next."""
    round: list[tuple[int | None, Action]] = []
    for seat, action in actions:
        if action["action"] == "deal" and round:
            yield round
            round = []
        round.append((seat, action))
    if round:
        yield round


@admin.register(MatchEvent)
class MatchEventAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["number", "match", "seat", "what", "created"]
    list_select_related = ["match"]
    list_per_page = 200
    fields = ["match", "number", "seat", "what", "command", "table_number", "created"]
    ordering = ["-match", "number"]

    @admin.display(description="action")
    def what(self, event: MatchEvent) -> str:
        if event.match.is_running:
            return HIDDEN
        return registry.get(event.match.game).text([(event.seat, event.action)])

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only by match: a filter on the action would tell what is hidden."""
        return lookup == "match__id__exact"

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        """Not in the index: events are looked at from their match."""
        return {}
