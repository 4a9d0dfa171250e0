"""Which web pages may open a socket."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host


class OriginValidator:
    """Refuses (HTTP 403) a foreign or ``null`` Origin, as Django does for forms: it must be this host, or one of
    ``CSRF_TRUSTED_ORIGINS``. A missing one is accepted: only programs leave it out, and no cookie authenticates here.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        origins = [value.decode("latin1") for name, value in scope["headers"] if name == b"origin"]
        hosts = [value.decode("latin1") for name, value in scope["headers"] if name == b"host"]
        if all(_is_trusted(origin, hosts) for origin in origins):
            await self._application(scope, receive, send)
        else:
            await send({"type": "websocket.close"})


def _is_trusted(origin: str, hosts: list[str]) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        address = urlsplit(origin).netloc
    except ValueError:
        return False
    return [address] == hosts and validate_host(split_domain_port(address)[0], settings.ALLOWED_HOSTS)
