"""The page, and what it has to know before it opens a socket."""

from django.conf import settings
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lobby.models import LobbyTable, Session
from lobby.seating import Place


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The page itself."""
    return render(request, "index.html", {"version": settings.VERSION})


@never_cache
@require_safe
def tables(request: HttpRequest) -> JsonResponse:
    """The open tables: name, people and how many seats are free."""
    seated = Prefetch("sessions", Session.objects.filter(place=Place.SEATED))
    rows = LobbyTable.objects.filter(closed=None).prefetch_related(seated)
    return JsonResponse({"tables": [_table(row) for row in rows]})


def _table(row: LobbyTable) -> dict[str, object]:
    people = [session.name for session in row.sessions.all()]
    return {"name": row.name, "game": row.game, "players": people, "free_seats": len(row.strengths) - len(people)}
