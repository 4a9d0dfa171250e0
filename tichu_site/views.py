"""Views that belong to no room: health and the page's translations."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.views.i18n import JSONCatalog

from lobby.leases import some_worker_is_alive


def healthz(request: HttpRequest) -> JsonResponse:
    """Whether this process can do its work; 503 if not."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = "ok"
        engine = "ok" if some_worker_is_alive() else "missing"
    except DatabaseError as error:
        database, engine = type(error).__name__, "unknown"
    healthy = database == engine == "ok"
    state = {"version": settings.VERSION, "database": database, "engine": engine}
    return JsonResponse(state, status=200 if healthy else 503)


def catalog(request: HttpRequest, language: str) -> HttpResponseBase:
    """The page's texts in one language, as Django's ``JSONCatalog`` gives them."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        response = JSONCatalog.as_view(domain="djangojs")(request)
    patch_cache_control(response, public=True, max_age=3600)
    return response
