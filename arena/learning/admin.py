"""Trainings in the admin: what was asked, how it goes, what has come of it. Nothing can be changed here.

As in the arena, charts are documents of their own (:mod:`arena.learning.charts`), and the page of what is running
renews itself (``static/arena/live.js``).
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.forms import Script
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.charts import NARROW, POLICY, WIDE, plus_minus
from arena.learning import charts
from arena.learning.folder import Line
from arena.learning.models import TrainingRun
from arena.statistics import Interval
from games.admin import ReadOnly

MOST_ROWS = 40  # of a table of data


def state_of(run: TrainingRun) -> SafeString | str:
    if run.is_silent:
        return format_html('<strong class="arena-bad">{}</strong>', "no sign of life")
    if run.state == TrainingRun.State.FAILED:
        why = run.error.strip().rpartition("\n")[2]
        return format_html(
            '<strong class="arena-bad">failed</strong> <span class="arena-small arena-long">{}</span>', why
        )
    return run.get_state_display()


def strength_of(sheet: dict[str, Any]) -> list[tuple[str, str]]:
    """What it was measured against, and the points a round."""
    return [(one["opponent"], _points(one["points"])) for one in sheet.get("strength", [])]


def _points(points: dict[str, float | None]) -> str:
    mean, low, high = points["mean"], points["low"], points["high"]
    return "–" if mean is None or low is None or high is None else plus_minus(Interval(mean, low, high))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


# --- a run on its page ------------------------------------------------------------------------------------------------


def drawn(run: TrainingRun) -> list[dict[str, str]]:
    """The charts that there are lines for."""
    lines = run.curve
    address = f"{len(lines)}-{run.minutes:.2f}"
    found = []
    if by_opponent := charts.measured(lines):
        ends = "; ".join(f"{plus_minus(points[-1][1])} over {who}" for who, points in by_opponent.items())
        alt = f"Points a round with their 95% intervals, over the minutes of training; in the end {ends}."
        found.append(("strength", "Points per round over other agents", alt))
    for name, one in charts.CURVES.items():
        ends = "; ".join(
            f"{series.name} {one.form.format(points[-1][1])}"
            for series in one.series
            if (points := one.points(series, lines))
        )
        if ends:
            found.append((name, one.title, f"{one.title}, over the minutes of training; in the end {ends}."))
    return [
        {
            "title": title,
            "alt": alt,
            "url": f"{reverse('admin:learning_trainingrun_chart', args=[run.pk, name])}?state={address}",
        }
        for name, title, alt in found
    ]


def table_of_strength(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    return [
        (f"{line['minutes']:.1f}", f"{line.get('rounds', 0):,}", line["opponent"], _points(line["points"]))
        for line in lines
        if line["kind"] == "strength"
    ]


def table_of_progress(lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    """Names of the columns, and rows, evenly spread."""
    progress = [line for line in lines if line["kind"] == "progress"]
    progress = progress[:: -max(1, -(-len(progress) // MOST_ROWS))][::-1]
    columns = [
        (series.name, one, series)
        for one in charts.CURVES.values()
        for series in one.series
        if one.points(series, progress)
    ]
    rows = []
    for line in progress:
        cells = [one.points(series, [line]) for _, one, series in columns]
        values = [
            one.form.format(cell[0][1]) if cell else "–" for cell, (_, one, _) in zip(cells, columns, strict=True)
        ]
        rows.append([f"{line['minutes']:.1f}", f"{line.get('rounds', 0):,}", *values])
    return ["minutes", "rounds", *(name for name, _, _ in columns)], rows


def report(run: TrainingRun) -> dict[str, Any]:
    """What the template of the report shows."""
    sheet = run.sheet
    columns, rows = table_of_progress(run.curve)
    return {
        "run": run,
        "state": state_of(run),
        "sheet": sheet,
        "strength": strength_of(sheet),
        "calls": [
            (
                {"tichu": "Tichu", "grand": "grand Tichu"}.get(kind, kind),
                _share(call["per_hand"]),
                _share(call["made"]),
                _share(call["expected"]),
            )
            for kind, call in sheet.get("calls", {}).items()
        ],
        "accuracy": [
            (name, f"{kind['count']:,}", _share(kind["top1"]), _share(kind["top3"]), f"{kind['log_loss']:.4f}")
            for name, kind in sheet.get("accuracy", {}).items()
        ],
        "files": [(file["name"], f"{file['bytes']:,}", file["sha256"]) for file in run.files],
        "charts": drawn(run),
        "measured": table_of_strength(run.curve),
        "progress_columns": columns,
        "progress_rows": rows,
        "wide": WIDE,
        "narrow": NARROW,
    }


@admin.register(TrainingRun)
class TrainingRunAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["run", "state_now", "trained", "points", "device", "created"]
    list_display_links = None
    list_filter = ["state", "kind", "created"]
    date_hierarchy = "created"
    search_fields = ["name", "command", "device", "host", "revision"]
    fieldsets = [
        ("What was asked", {"fields": ["kind", "command", "folder", "host", "device", "threads", "seed", "revision"]}),
        ("How it went", {"fields": ["created", "updated", "finished", "traceback"]}),
    ]

    class Media:
        css = {"all": ["arena/admin.css"]}
        js = [Script("arena/live.js", defer=True)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrainingRun]:
        return super().get_queryset(request).defer("curve", "files")

    @admin.display(ordering="name")
    def run(self, run: TrainingRun) -> SafeString:
        url = reverse("admin:learning_trainingrun_change", args=[run.pk])
        what = f"{run.get_kind_display()} {run.sheet.get('net', '')}"
        return format_html('<a href="{}">{}</a> <span class="arena-small">{}</span>', url, run.name, what)

    @admin.display(description="state", ordering="state")
    def state_now(self, run: TrainingRun) -> SafeString | str:
        return state_of(run)

    @admin.display(ordering="minutes")
    def trained(self, run: TrainingRun) -> SafeString:
        rounds = f"{run.rounds:,} rounds" if run.rounds else ""
        return format_html('{} minutes <span class="arena-small">{}</span>', f"{run.minutes:,.1f}", rounds)

    @admin.display(description="points per round")
    def points(self, run: TrainingRun) -> SafeString | str:
        """Over the first agent of the ladder."""
        if not (found := strength_of(run.sheet)):
            return "–"
        opponent, points = found[0]
        return format_html('{} <span class="arena-small">over {}</span>', points, opponent)

    @admin.display(description="error")
    def traceback(self, run: TrainingRun) -> SafeString | None:
        if not run.error:
            return None
        return format_html(
            '<pre class="arena-scroll" tabindex="0" role="region" aria-label="Error">{}</pre>', run.error
        )

    def has_delete_permission(self, request: HttpRequest, run: Model | None = None) -> bool:
        """Not while it trains. The files stay."""
        if isinstance(run, TrainingRun) and run.is_alive:
            return False
        return request.user.has_perm("learning.delete_trainingrun")

    # --- pages --------------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        def view(route: str, function: Any, name: str) -> Any:
            return path(
                route, self.admin_site.admin_view(function, cacheable=True), name=f"learning_trainingrun_{name}"
            )

        return [
            view("<int:pk>/live/", self.live_view, "live"),
            view("<int:pk>/<slug:name>.svg", self.chart_view, "chart"),
            *super().get_urls(),
        ]

    def _run(self, request: HttpRequest, pk: int) -> TrainingRun:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(TrainingRun, pk=pk)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        response: Any = super().change_view(request, object_id, form_url, extra_context)
        run = (getattr(response, "context_data", None) or {}).get("original")
        if isinstance(run, TrainingRun):
            response.context_data |= report(run)
        return response

    def live_view(self, request: HttpRequest, pk: int) -> JsonResponse:
        """What has changed on the page of a training."""
        run = self._run(request, pk)
        minutes = int(run.minutes) // 10 * 10
        return JsonResponse(
            {
                "running": run.is_alive,
                "status": f"Trained for {minutes} minutes." if run.is_alive else f"The training is {run.state}.",
                "parts": {"report": render_to_string("admin/learning/trainingrun/report.html", report(run))},
            }
        )

    def chart_view(self, request: HttpRequest, pk: int, name: str) -> HttpResponse:
        """``?size=narrow`` for phones; ``state`` makes the address of each state another one."""
        run = self._run(request, pk)
        if not any(f"/{name}.svg" in chart["url"] for chart in drawn(run)):
            raise Http404
        size = NARROW if request.GET.get("size") == "narrow" else WIDE
        svg = charts.strength(run.curve, size) if name == "strength" else charts.curves(name, run.curve, size)
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "private, max-age=600"}
        return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
