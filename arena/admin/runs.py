"""The list of runs, the page of one, and what can be done with them: playing again, stopping, exporting."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.forms import Script
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena import charts
from arena.admin.exports import as_csv, as_json, download
from arena.admin.report import cells, chart, recorded, run_report, why_failed
from arena.launching import Launch, wait
from arena.models import AgentVersion, ArenaBatch, ArenaRun, ArenaSeat
from arena.statistics import interval_of
from arena.tally import Tally
from games.admin import ReadOnly

MOST_AT_ONCE = 4  # runs that one click starts
CODE_HAS_CHANGED = "has changed since"  # says run_arena (arena.runs) of a run that other code has played


class AgentFilter(admin.SimpleListFilter):
    title = "agent"
    parameter_name = "agent"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        names = AgentVersion.objects.order_by("name").values_list("name", flat=True).distinct()
        return [(name, name) for name in names]

    def queryset(self, request: HttpRequest, runs: QuerySet[ArenaRun]) -> QuerySet[ArenaRun]:
        if not self.value():
            return runs
        return runs.filter(pk__in=ArenaSeat.objects.filter(version__name=self.value()).values("run"))


class ArenaSeatInline(ReadOnly, admin.TabularInline):
    model = ArenaSeat
    verbose_name_plural = "who played"
    fields = ["slot", "version"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ArenaSeat]:
        return super().get_queryset(request).select_related("version")


def _live(name: str, label: str = "", ordering: str = "") -> Any:
    """A column that renews itself."""

    def column(self: "ArenaRunAdmin", run: ArenaRun) -> SafeString:
        if not hasattr(run, "cells"):
            run.cells = cells(run)  # type: ignore[attr-defined]
        return format_html('<div data-live="{}-{}">{}</div>', run.pk, name, run.cells[name])  # type: ignore[attr-defined]

    return admin.display(description=label or name, ordering=ordering or None)(column)


@admin.register(ArenaRun)
class ArenaRunAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["run", "state_now", "progress", "points", "created"]
    list_display_links = None  # the teams stand with the name, and are no part of the link
    list_filter = ["state", "rules", "unit", AgentFilter, "created"]
    date_hierarchy = "created"
    search_fields = ["name", "team_20", "team_31"]
    actions = ["run_again", "stop", "export_csv", "export_json"]
    inlines = [ArenaSeatInline]
    fieldsets = [
        (
            "What was asked",
            {
                "fields": [
                    "team_20", "team_31", "unit", "pairs", "batch_pairs", "seed", "rules", "target_score", "stop_rule",
                    "recording",
                ]
            },
        ),
        (
            "How it went",
            {
                "fields": [
                    "verdict", "traceback", "executor", "workers", "host", "revision", "created", "updated", "finished",
                    "stop_requested", "batches_played",
                ]
            },
        ),
    ]  # fmt: skip

    class Media:
        css = {"all": ["arena/admin.css"]}
        js = [Script("arena/live.js", defer=True)]

    state_now = _live("state", ordering="state")
    progress = _live("progress")
    points = _live("points", "points per round")

    @admin.display(ordering="name")
    def run(self, run: ArenaRun) -> SafeString:
        url = reverse("admin:arena_arenarun_change", args=[run.pk])
        teams = f"{run.team_20} – {run.team_31}"
        return format_html('<a href="{}">{}</a> <span class="arena-small">{}</span>', url, run.name, teams)

    @admin.display(description="stop rule")
    def stop_rule(self, run: ArenaRun) -> str:
        return run.stop

    @admin.display(description="error")
    def traceback(self, run: ArenaRun) -> SafeString | None:
        if not run.error:
            return None
        return format_html(
            '<pre class="arena-scroll" tabindex="0" role="region" aria-label="Error">{}</pre>', run.error
        )

    # --- who may what -------------------------------------------------------------------------------------------------

    def has_play_permission(self, request: HttpRequest) -> bool:
        """Whoever might change runs, if they could be changed."""
        return request.user.has_perm("arena.change_arenarun")

    def has_delete_permission(self, request: HttpRequest, run: Model | None = None) -> bool:
        """Not while it is played: its command would fail."""
        if isinstance(run, ArenaRun) and run.is_alive:
            return False
        return request.user.has_perm("arena.delete_arenarun")

    def get_deleted_objects(
        self, runs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[Any]]:
        """The runs alone: all of their batches would be too long a list."""
        alive = [f"{run}, which is being played" for run in runs if run.is_alive]
        batches = ArenaBatch.objects.filter(run__in=[run.pk for run in runs]).count()
        return [str(run) for run in runs], {"arena runs": len(runs), "arena batches": batches}, set(), alive

    # --- pages --------------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        def view(route: str, function: Any, name: str) -> Any:
            return path(route, self.admin_site.admin_view(function, cacheable=True), name=f"arena_arenarun_{name}")

        return [
            view("live/", self.live_list_view, "live_list"),
            view("<int:pk>/live/", self.live_view, "live"),
            view("<int:pk>/<slug:name>.svg", self.chart_view, "chart"),
            *super().get_urls(),
        ]

    def _run(self, request: HttpRequest, pk: int) -> ArenaRun:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(ArenaRun, pk=pk)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        response: Any = super().changelist_view(request, extra_context)
        changelist = (getattr(response, "context_data", None) or {}).get("cl")
        if changelist is not None:
            running = [str(run.pk) for run in changelist.result_list if run.is_alive]
            if running:
                url = f"{reverse('admin:arena_arenarun_live_list')}?runs={','.join(running)}"
                response.context_data["live_url"] = url
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        response: Any = super().change_view(request, object_id, form_url, extra_context)
        run = (getattr(response, "context_data", None) or {}).get("original")
        if isinstance(run, ArenaRun):
            response.context_data |= run_report(run) | {
                "is_alive": run.is_alive,
                "has_play_permission": self.has_play_permission(request),
            }
            if run.recording and run.batches_played:
                response.context_data |= recorded(run)
        return response

    def live_list_view(self, request: HttpRequest) -> JsonResponse:
        """What has changed in the list. ``?runs=1,2``"""
        if not self.has_view_permission(request):
            raise PermissionDenied
        # What has more digits than a key is none.
        pks = [
            int(pk)
            for pk in request.GET.get("runs", "").split(",")[: self.list_per_page]
            if re.fullmatch(r"\d{1,18}", pk)
        ]
        runs = list(ArenaRun.objects.filter(pk__in=pks))
        running = sum(run.is_alive for run in runs)
        return JsonResponse(
            {
                "running": running > 0,
                "status": f"{running} {'run is' if running == 1 else 'runs are'} being played.",
                "parts": {f"{run.pk}-{name}": cell for run in runs for name, cell in cells(run).items()},
            }
        )

    def live_view(self, request: HttpRequest, pk: int) -> JsonResponse:
        """What has changed on the page of a run."""
        run = self._run(request, pk)
        tenths = 10 * run.pairs_played // run.pairs
        return JsonResponse(
            {
                "running": run.is_alive,
                "status": f"{10 * tenths}% played." if run.is_alive else f"The run is {run.state}.",
                "parts": {"report": render_to_string("admin/arena/arenarun/report.html", run_report(run))},
            }
        )

    def chart_view(self, request: HttpRequest, pk: int, name: str) -> HttpResponse:
        """``?size=narrow`` for phones; ``batches`` makes the address of each state another one."""
        run = self._run(request, pk)
        svg = chart(run, name, charts.NARROW if request.GET.get("size") == "narrow" else charts.WIDE)
        if svg is None:
            raise Http404
        headers = {"Content-Security-Policy": charts.POLICY, "Cache-Control": "private, max-age=600"}
        return HttpResponse(svg, content_type="image/svg+xml", headers=headers)

    # --- actions ------------------------------------------------------------------------------------------------------

    @admin.action(description="Run again", permissions=["play"])
    def run_again(self, request: HttpRequest, runs: QuerySet[ArenaRun]) -> HttpResponse | None:
        """What is stopped, failed or silent goes on; what is finished, or was played by other code than there is now,
        is played anew under a new name.

        Without the recording, whose file is there.
        """
        if runs.count() > MOST_AT_ONCE:
            messages.error(request, f"At most {MOST_AT_ONCE} runs at once, please: they share one machine.")
            return None
        clicked = timezone.now()
        over = [run for run in runs if run.state == ArenaRun.State.FINISHED]
        idle = [run for run in runs if run not in over and not run.is_alive]
        for run in runs:
            if run.is_alive:
                messages.error(request, f"The run {run.name} is being played already.")
        launches = [Launch(run.name) for run in idle]
        _wait(launches, clicked)
        changed = [launch.name for launch in launches if launch.has_ended and CODE_HAS_CHANGED in launch.said]
        anew = _launch_anew([*over, *(run for run in idle if run.name in changed)])
        _wait(anew, clicked)
        launches = [launch for launch in launches if launch.name not in changed] + anew
        for launch in launches:
            self._say_how_it_began(request, launch, clicked)
        return self._back(request, launches[0].name if launches else "")

    def _say_how_it_began(self, request: HttpRequest, launch: Launch, clicked: datetime) -> None:
        run = ArenaRun.objects.filter(name=launch.name, updated__gte=clicked).first()
        if run and run.state == ArenaRun.State.FAILED:
            messages.error(request, f"The run {launch.name} has failed: {why_failed(run)}")
        elif run:
            messages.success(request, f"The run {launch.name} has begun.")
        elif launch.has_ended:
            messages.error(request, f"The run {launch.name} could not be played: {launch.said}")
        else:
            messages.warning(request, f"The run {launch.name} has not begun yet; what it says is in {launch.log}.")

    def _back(self, request: HttpRequest, name: str = "") -> HttpResponse | None:
        """To a run's page, if the button was there: that of the run that was begun, if one was."""
        if "from_run" not in request.POST:
            return None
        asked = request.POST.getlist(ACTION_CHECKBOX_NAME)
        run = ArenaRun.objects.filter(name=name).first() or get_object_or_404(ArenaRun, pk=asked[0])
        return redirect("admin:arena_arenarun_change", run.pk)

    @admin.action(description="Stop", permissions=["play"])
    def stop(self, request: HttpRequest, runs: QuerySet[ArenaRun]) -> HttpResponse | None:
        """The command that plays it looks every second."""
        alive = runs.filter(state=ArenaRun.State.RUNNING, updated__gte=ArenaRun.silent_since())
        if asked := alive.update(stop_requested=True):
            messages.success(
                request, f"{asked} will stop within seconds and keep what was played; “Run again” lets them go on."
            )
        else:
            messages.warning(request, "None of these is being played.")
        return self._back(request)

    @admin.action(description="Export CSV", permissions=["view"])
    def export_csv(self, request: HttpRequest, runs: QuerySet[ArenaRun]) -> HttpResponse:
        return download(as_csv(runs.iterator()), "runs.csv", "text/csv; charset=utf-8")

    @admin.action(description="Export JSON", permissions=["view"])
    def export_json(self, request: HttpRequest, runs: QuerySet[ArenaRun]) -> HttpResponse:
        return download(as_json(runs.iterator()), "runs.json", "application/json")


def _wait(launches: Sequence[Launch], clicked: datetime) -> None:
    """Until of each something is played, or it has ended: what fails fails at once."""
    played = Q(batches__created__gte=clicked) | ~Q(state=ArenaRun.State.RUNNING)
    begun = ArenaRun.objects.filter(played, updated__gte=clicked)
    wait(launches, lambda launch: begun.filter(name=launch.name).exists())


def _launch_anew(runs: Sequence[ArenaRun]) -> list[Launch]:
    """The same, each under the next name."""
    launches: list[Launch] = []
    for run in runs:
        name = next_name(run.name, {launch.name for launch in launches})
        job = [f"--{run.unit}={2 * run.pairs}", f"--seed={run.seed}", f"--rules={run.rules}", f"--stop={run.stop}"]
        launches.append(Launch(name, [*job, "--", run.team_20, run.team_31]))
    return launches


def next_name(name: str, others: Collection[str] = ()) -> str:
    """The first of NAME-2, NAME-3 ... that is free.

    :param others: names that are not free either.
    """
    match = re.fullmatch(r"(.+?)-(\d+)", name)
    stem, first = (match[1], int(match[2]) + 1) if match else (name, 2)
    taken = {*others, *ArenaRun.objects.filter(name__startswith=f"{stem}-").values_list("name", flat=True)}
    return next(new for count in range(first, first + len(taken) + 1) if (new := f"{stem}-{count}") not in taken)


def _tally(batch: ArenaBatch) -> Tally:
    return msgspec.convert(batch.tally, Tally, str_keys=True)


@admin.register(ArenaBatch)
class ArenaBatchAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["number", "run", "pairs", "points_per_round", "faults", "created"]
    list_select_related = ["run"]
    fields = ["run", "number", "pairs", "points_per_round", "faults", "created"]
    ordering = ["-run", "number"]

    @admin.display
    def pairs(self, batch: ArenaBatch) -> str:
        return f"{_tally(batch).pairs:,}"

    @admin.display
    def points_per_round(self, batch: ArenaBatch) -> str:
        return charts.plus_minus(interval_of(_tally(batch).points))

    @admin.display
    def faults(self, batch: ArenaBatch) -> str:
        return f"{_tally(batch).faults:,}"

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        """Not in the index: batches are looked at from their run."""
        return {}
