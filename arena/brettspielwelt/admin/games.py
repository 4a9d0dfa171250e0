"""Games and their rounds: the lists, and the page of a game."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.brettspielwelt.admin.filters import (
    BombsFilter,
    CallsFilter,
    FindingFilter,
    GameScoreFilter,
    MonthFilter,
    PlayerFilter,
    RoundMonthFilter,
    RoundScoreFilter,
    StateFilter,
    games_of,
    named,
    rounds_of,
)
from arena.brettspielwelt.admin.lists import SEATS, Listed, players_of, replay_url, score, words
from arena.brettspielwelt.admin.uploads import Imported, ImportForm
from arena.brettspielwelt.models import Game, Round, RoundFinding, RoundSeat


@admin.register(Game)
class GameAdmin(Listed):
    list_display = ["game", "month_played", "who", "rounds", "result", "finished", "first_finding", "watch"]
    list_filter = [MonthFilter, FindingFilter, GameScoreFilter, "is_finished", PlayerFilter]
    sortable_by = ["game", "month_played"]  # by what there is an index
    search_fields = ["number"]  # shows the field; get_search_results() searches
    search_help_text = "Number, names of players, or the file of a game without a number"
    fields = ["key", "number", "month", "source", "checksum"]
    change_form_template = "admin/brettspielwelt/game/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return super().get_queryset(request).prefetch_related(*SEATS)

    def get_search_results(
        self, request: HttpRequest, games: QuerySet[Game], search_term: str
    ) -> tuple[QuerySet[Game], bool]:
        """Games with all of these words: a number, a key, a part of a file's or a player's name."""
        for word in search_term.split():
            games = games.filter(_is(word) | games_of(named(word)))
        return games, False

    @admin.display(ordering="number")
    def game(self, game: Game) -> str:
        return str(game)

    @admin.display(description="month", ordering="month")
    def month_played(self, game: Game) -> str:
        return f"{game.month:%Y-%m}" if game.month else "–"

    @admin.display(description="players")
    def who(self, game: Game) -> str:
        return players_of(game)

    @admin.display
    def rounds(self, game: Game) -> int:
        return game.rounds_count

    @admin.display(description="score")
    def result(self, game: Game) -> str:
        return score(game.score_20, game.score_31)

    @admin.display(boolean=True)
    def finished(self, game: Game) -> bool:
        return game.is_finished

    @admin.display
    def first_finding(self, game: Game) -> str:
        return words(game.finding)

    @admin.display(description="replay")
    def watch(self, game: Game) -> SafeString:
        return format_html('<a href="{}">Replay</a>', reverse("replay-log", args=[game.key]))

    # --- who may what -------------------------------------------------------------------------------------------------

    def has_import_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("brettspielwelt.add_game")

    def has_delete_permission(self, request: HttpRequest, game: Model | None = None) -> bool:
        return request.user.has_perm("brettspielwelt.delete_game")

    def get_deleted_objects(
        self, games: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[Any]]:
        """The games alone: all that is stored of them would be too long a list."""
        keys = [str(game) for game in games]
        rounds = Round.objects.filter(game__in=[game.pk for game in games]).count()
        return keys, {"games": len(keys), "rounds": rounds}, set(), []

    # --- pages --------------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="brettspielwelt_game_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> TemplateResponse:
        if not self.has_import_permission(request):
            raise PermissionDenied
        form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
        imported = Imported(form.cleaned_data["logs"]) if form.is_valid() else None
        return TemplateResponse(
            request,
            "admin/brettspielwelt/game/import.html",
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": "Import logs",
                "media": self.media,
                "form": form,
                "imported": imported,
                "has_view_permission": self.has_view_permission(request),
            },
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        response: Any = super().change_view(request, object_id, form_url, extra_context)
        game = (getattr(response, "context_data", None) or {}).get("original")
        if isinstance(game, Game):
            response.context_data |= game_page(game)
        return response


def _is(word: str) -> Q:
    """Whether a game is called so. Where there is a number nobody looks for the file, nor through all of them."""
    called = Q(key=word) | Q(number=None, source__icontains=word)
    return called | Q(number=int(word)) if word.isdecimal() and len(word) <= 10 else called


def game_page(game: Game) -> dict[str, Any]:
    """What the template of a game shows. The number of queries does not grow with the rounds."""
    calls: dict[int, list[str]] = {}
    bombs: dict[int, list[str]] = {}
    for seat in RoundSeat.objects.filter(Q(call__gt=0) | Q(bombs__gt=0), round__game=game).select_related("player"):
        if seat.call:
            kind = "grand Tichu" if seat.call == 2 else "Tichu"
            end = "made" if seat.place == 1 else "lost"
            calls.setdefault(seat.round_id, []).append(f"{seat.player}: {kind} {end}")
        if seat.bombs:
            times = f" ({seat.bombs})" if seat.bombs > 1 else ""
            bombs.setdefault(seat.round_id, []).append(f"{seat.player}{times}")
    findings: dict[int | None, list[RoundFinding]] = {}
    for finding in game.findings.all():
        finding.words = words(finding.code)  # type: ignore[attr-defined]
        findings.setdefault(finding.round_id, []).append(finding)
    return {
        "result": score(game.score_20, game.score_31),
        "replay_url": reverse("replay-log", args=[game.key]),
        "game_seats": game.seats.all(),
        "seat_changes": game.seat_changes.all(),
        "findings": findings.get(None, []),
        "rounds": [
            {
                "round": round,
                "url": replay_url(game, round.number),
                "logged": score(round.logged_20, round.logged_31),
                "computed": score(round.score_20, round.score_31),
                "calls": calls.get(round.pk, []),
                "bombs": bombs.get(round.pk, []),
                "findings": findings.get(round.pk, []),
            }
            for round in game.rounds.order_by("number")
        ],
    }


@admin.register(Round)
class RoundAdmin(Listed):
    list_display = [
        "number", "of_game", "computed", "logged", "calls", "bombs", "double_victory", "usable", "first_finding",
        "watch",
    ]  # fmt: skip
    list_display_links = None
    list_filter = [
        RoundMonthFilter, StateFilter, RoundScoreFilter, CallsFilter, BombsFilter, "double_victory", "is_usable",
    ]  # fmt: skip
    list_select_related = ["game"]
    sortable_by = ()
    search_fields = ["game"]  # shows the field; get_search_results() searches
    search_help_text = "Number of a game, names of players, or the file of a game without a number"
    ordering = ["-pk"]

    def get_search_results(
        self, request: HttpRequest, rounds: QuerySet[Round], search_term: str
    ) -> tuple[QuerySet[Round], bool]:
        """Rounds with all of these words: number or key of the game, a part of its file's or of a player's name."""
        for word in search_term.split():
            rounds = rounds.filter(Q(game__in=Game.objects.filter(_is(word)).order_by()) | rounds_of(named(word)))
        return rounds, False

    @admin.display(description="game")
    def of_game(self, round: Round) -> SafeString:
        url = reverse("admin:brettspielwelt_game_change", args=[round.game_id])
        return format_html('<a href="{}">{}</a>', url, round.game)

    @admin.display
    def computed(self, round: Round) -> str:
        return score(round.score_20, round.score_31)

    @admin.display
    def logged(self, round: Round) -> str:
        return score(round.logged_20, round.logged_31)

    @admin.display(boolean=True)
    def usable(self, round: Round) -> bool:
        return round.is_usable

    @admin.display
    def first_finding(self, round: Round) -> str:
        return words(round.state)

    @admin.display(description="replay")
    def watch(self, round: Round) -> SafeString:
        return format_html('<a href="{}">Replay</a>', replay_url(round.game, round.number))
