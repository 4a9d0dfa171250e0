"""The ASGI application: pages over HTTP, tables over the WebSocket ``/ws``."""

import os
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tichu_site.settings")
django_application = get_asgi_application()

# Models may be imported only after Django is set up.
from lobby.consumers import TableConsumer  # noqa: E402
from lobby.origin import OriginValidator  # noqa: E402


async def refuse(scope: Any, receive: Any, send: Any) -> None:
    """Any other path: closed before it was accepted, which is HTTP 403."""
    await send({"type": "websocket.close"})


sockets = URLRouter(
    [
        path("ws", TableConsumer.as_asgi()),
        re_path("", refuse),  # type: ignore[arg-type]  # an ASGI application, not a view
    ]
)
application = ProtocolTypeRouter({"http": django_application, "websocket": OriginValidator(sockets)})
