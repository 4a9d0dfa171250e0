"""The replay page, and the page for matches of the live table.

A replay is one page, whatever it shows, and a JSON document for each round: ``?round=3``, :class:`games.replay.Replay`.
It is for staff who may see the model's rows in the admin. Nobody sees a match that is running: its cards are secret.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache, wraps
from typing import Any, TypeAlias

import msgspec
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import replay
from games.models import Match
from games.replay import Note, Replay, Score
from games.tichu.game import Options

View: TypeAlias = Callable[..., HttpResponse]


class Refused(Exception):  # noqa: N818
    """There is nothing to be seen here.

    :param text: why, for the person.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def replay_view(permission: str) -> Callable[[View], View]:
    """Makes a view one for staff with this permission; what it refuses becomes a page that says so."""

    def decorate(view: View) -> View:
        @require_safe
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            user = request.user
            if not user.is_authenticated:
                return redirect_to_login(request.get_full_path(), reverse("admin:login"))
            try:
                if not (user.is_staff and user.has_perm(permission)):
                    raise Refused(403, _("You may not look at this. An administrator can give you the permission."))
                response = view(request, *args, **kwargs)
            except Refused as refused:
                response = render(request, "games/refused.html", {"text": refused.text}, status=refused.status)
            patch_cache_control(response, private=True)
            return response

        return guarded

    return decorate


def answer(request: HttpRequest, title: str, load: Callable[[int], Replay]) -> HttpResponse:
    """The page, or the round that it asks for.

    :param title: of the page, before its script has begun.
    :param load: gives a round by its index, from 0; an IndexError means that there is none.
    :raises Refused: there is no such round.
    """
    number = request.GET.get("round")
    if number is None:
        return render(request, "games/replay.html", {"title": title, "version": settings.VERSION})
    if not number.isdecimal() or int(number) == 0:
        raise Refused(404, _("There is no such round."))
    try:
        found = load(int(number) - 1)
    except IndexError as error:
        raise Refused(404, _("There is no such round.")) from error
    return HttpResponse(msgspec.json.encode(found), content_type="application/json")


@replay_view("games.view_match")
def match(request: HttpRequest, pk: int) -> HttpResponse:
    """A match of the live table that is over."""
    row = Match.objects.filter(pk=pk).first()
    if row is None:
        raise Refused(404, _("There is no such match."))
    if row.is_running:
        raise Refused(403, _("This match is still being played. Its cards can be seen when it is over."))
    seats = [seat.name for seat in row.seats.all()]

    def load(index: int) -> Replay:
        options = msgspec.convert(row.options, Options)
        outline = _outline(row.pk, row.finished, options)
        first, last, _result = outline[index]
        actions = row.events.filter(number__range=(first, last)).order_by("number").values_list("seat", "action")
        results = [result for *_numbers, result in outline]
        is_broken_off = row.outcome == Match.Outcome.ABANDONED and index == len(outline) - 1
        steps = replay.steps(actions, options, {last - first: [Note("abandoned")]} if is_broken_off else None)
        return Replay(
            ("match", row.table_name, row.pk),
            replay.teams(seats),
            replay.told_apart(seats),
            results,
            index + 1,
            steps,
            home=reverse("admin:games_match_change", args=[row.pk]),
        )

    return answer(request, f"{title_of(seats)} · {row}", load)


def title_of(names: Sequence[str]) -> str:
    """Who plays against whom, by the names of the seats.

    >>> title_of(["Ada", "rule", "Cleo", "rule"])
    'Ada & Cleo – rule'
    """
    return " – ".join(replay.teams(names))


@lru_cache(maxsize=64)
def _outline(pk: int, finished: datetime, options: Options) -> list[tuple[int, int, Score | None]]:
    """The rounds of a match: numbers of their first and last event, and what they brought. It never changes.

    :param finished: when the match was over; keeps apart what two databases call by the same number.
    """
    outline = []
    last = 0
    for actions in replay.rounds(Match.objects.get(pk=pk).events.order_by("number").values_list("seat", "action")):
        first, last = last + 1, last + len(actions)
        outline.append((first, last, replay.result(actions, options)))
    return outline
