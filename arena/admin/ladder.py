"""Agents and how strong they are: versions, ratings, the cross table."""

from typing import Any

import msgspec
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Max, Min, Window
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena import charts
from arena.models import AgentVersion, ArenaRun, ArenaSeat, Rating
from arena.statistics import interval_of
from arena.tally import Ratio
from games.admin import ReadOnly


@admin.register(AgentVersion)
class AgentVersionAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["name", "options", "short_checksum", "elo", "runs", "created"]
    list_filter = ["created"]
    list_select_related = ["rating"]
    search_fields = ["name", "options", "checksum"]
    fields = ["name", "options", "checksum", "elo", "created"]

    class Media:
        css = {"all": ["arena/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(runs=Count("seats__run", distinct=True))

    @admin.display(description="checksum", ordering="checksum")
    def short_checksum(self, version: AgentVersion) -> str:
        return version.checksum[:12]

    @admin.display(ordering="rating__elo")
    def elo(self, version: AgentVersion) -> str:
        return f"{version.rating.elo:.0f}" if hasattr(version, "rating") else "–"

    @admin.display(ordering="runs")
    def runs(self, version: Any) -> str:
        return f"{version.runs:,}"


@admin.register(Rating)
class RatingAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["agent", "elo_now", "interval", "rounds_played", "updated"]
    list_select_related = ["version"]
    search_fields = ["version__name", "version__options"]
    fields = ["version", "elo", "low", "high", "rounds", "updated"]

    class Media:
        css = {"all": ["arena/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the ends of the scale, which all share."""
        return super().get_queryset(request).annotate(bottom=Window(Min("low")), top=Window(Max("high")))

    @admin.display(ordering="version__name")
    def agent(self, rating: Rating) -> SafeString:
        checksum = rating.version.checksum[:7]
        return format_html('{} <span class="arena-small">{}</span>', rating.version.text, checksum)

    @admin.display(description="Elo", ordering="elo")
    def elo_now(self, rating: Rating) -> str:
        if rating.low == rating.high:
            return "0 (anchor)"
        return f"{rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"

    @admin.display(description="95% interval; the line is random = 0")
    def interval(self, rating: Any) -> SafeString:
        bottom, top = min(rating.bottom, 0), max(rating.top, 0)
        scale = 190 / (top - bottom or 1)
        zero, low, elo, high = (
            f"{5 + (value - bottom) * scale:.1f}" for value in (0, rating.low, rating.elo, rating.high)
        )
        return format_html(
            '<svg class="arena-rung" viewBox="0 0 200 16" width="200" height="16" aria-hidden="true">'
            '<path class="zero" d="M{} 0v16"/><path d="M{} 3v10m0-5H{}m0-5v10"/><circle cx="{}" cy="8" r="2.5"/></svg>',
            zero, low, high, elo,
        )  # fmt: skip

    @admin.display(description="rounds", ordering="rounds")
    def rounds_played(self, rating: Rating) -> str:
        return f"{rating.rounds:,}"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.cross_view)
        return [path("cross/", view, name="arena_rating_cross"), *super().get_urls()]

    def cross_view(self, request: HttpRequest) -> TemplateResponse:
        """Who is how much better than whom."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        versions, sums = cross_table()
        return TemplateResponse(
            request,
            "admin/arena/rating/cross.html",
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": "Cross table",
                "media": self.media,
                "versions": versions,
                "rows": [
                    (
                        version,
                        [
                            (charts.plus_minus(interval_of(ratio)), f"{ratio.n:,.0f}")
                            if (ratio := sums.get((version.pk, other.pk)))
                            else None
                            for other in versions
                        ],
                    )
                    for version in versions
                ],
            },
        )


def cross_table() -> tuple[list[AgentVersion], dict[tuple[int, int], Ratio]]:
    """From the runs with the house rules in which a team was one version, and the other team another one.

    Runs of the same two with the same seed had the same deals: only the longest of them counts, as for the ladder.

    :result: the versions, the strongest first, and the points per round of the first of two less those of the second.
    """
    teams: dict[int, tuple[set[int], set[int]]] = {}
    for run, slot, version in ArenaSeat.objects.values_list("run", "slot", "version"):
        teams.setdefault(run, (set(), set()))[slot % 2].add(version)
    longest: dict[tuple[frozenset[int], int], tuple[int, int, Ratio]] = {}
    played = ArenaRun.objects.filter(rules="house", pairs_played__gt=0).order_by("pairs_played")
    for run, seed, points in played.values_list("pk", "seed", "tally__points"):
        first, second = teams.get(run, (set(), set()))
        if len(first) == len(second) == 1 and first != second:
            (one,), (other,) = first, second
            longest[frozenset((one, other)), seed] = one, other, msgspec.convert(points, Ratio)
    sums: dict[tuple[int, int], Ratio] = {}
    for one, other, ratio in longest.values():
        opposite = Ratio(ratio.pairs, -ratio.x, ratio.n, ratio.xx, -ratio.xn, ratio.nn)
        sums[one, other] = sums.get((one, other), Ratio()) + ratio
        sums[other, one] = sums.get((other, one), Ratio()) + opposite
    versions = AgentVersion.objects.filter(pk__in={one for one, _ in sums}).select_related("rating")
    return list(versions.order_by(F("rating__elo").desc(nulls_last=True), "name")), sums
