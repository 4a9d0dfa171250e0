"""The ASGI application: pages over HTTP, tables over the WebSocket ``/ws``."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tichu_site.settings")
django_application = get_asgi_application()

# Models may be imported only after Django is set up.
from lobby.consumers import TableConsumer  # noqa: E402
from lobby.origin import OriginValidator  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": OriginValidator(URLRouter([path("ws", TableConsumer.as_asgi())])),
    }
)
