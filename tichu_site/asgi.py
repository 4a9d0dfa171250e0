"""The ASGI application: pages over HTTP, tables over the WebSocket ``/ws``."""

import os
import sys
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tichu_site.settings")
django_application = get_asgi_application()

# Models may be imported only after Django is set up.
from lobby.consumers import TableConsumer  # noqa: E402
from lobby.origin import OriginValidator  # noqa: E402
from lobby.worker import EmbeddedEngine  # noqa: E402

if "daphne.server" in sys.modules:
    import lobby.server  # noqa: F401 - teaches its sockets the protocol


async def refuse(scope: Any, receive: Any, send: Any) -> None:
    """Any other path: closed before it was accepted, which is HTTP 403."""
    await send({"type": "websocket.close"})


sockets = URLRouter(
    [
        path("ws", TableConsumer.as_asgi()),
        re_path("", refuse),  # type: ignore[arg-type]  # an ASGI application, not a view
    ]
)
router = ProtocolTypeRouter({"http": django_application, "websocket": OriginValidator(sockets)})


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Starts the engine with the first request, under whatever server, unless it can be a process of its own."""
    if not settings.REDIS_URL:
        EmbeddedEngine.start()
    await router(scope, receive, send)
