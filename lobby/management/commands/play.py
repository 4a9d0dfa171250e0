"""``manage.py play``: everything that is needed to play, in one process.

1. Prepares translations, static files and the database's tables (``manage.py prepare``).
2. Starts the web server and, inside it, the engine worker.
3. Says where to go.
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string


class Command(BaseCommand):
    help = "Starts the server: pages, tables and engine in one process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *, host: str, port: int, verbosity: int, **options: Any) -> None:
        call_command("prepare", verbosity=0)
        # Daphne installs its reactor when it is imported; models need Django to be ready.
        from lobby.server import Server
        from lobby.worker import EmbeddedEngine

        application = import_string(settings.ASGI_APPLICATION)

        def on_ready() -> None:
            EmbeddedEngine.start()
            address = f"[{host}]" if ":" in host else host
            self.stdout.write(f"Tichu is on http://{address}:{port}/ (stop with Ctrl-C)")
            self.stdout.flush()

        server = Server(application, host, port, on_ready)
        server.run()
        if server.failure:
            raise CommandError(server.failure)
