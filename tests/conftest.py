"""What all tests share: a real server, a real browser, and loud words where something that they need is missing."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import hypothesis
import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, sync_playwright

from games import messages
from tests.server import Server
from tichu_site.management.commands.prepare import kernel_remark

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def answers(port: int) -> bool:
    """Whether a server listens here."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


# Marker of the tests that need it -> what is needed, where it is missing.
MISSING = {
    marker: need
    for marker, need, is_there in (
        ("browser", "Chromium (apt-get install chromium)", bool(CHROMIUM)),
        ("postgresql", "PostgreSQL on 127.0.0.1:5432, with the user postgres", answers(5432)),
        ("redis", "Redis on 127.0.0.1:6379", answers(6379)),
        ("training", "PyTorch (.venv/bin/pip install -e '.[train]')", find_spec("torch") is not None),
    )
    if not is_there
}
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# Machines are noisy: how long something takes is no fault of the test.
hypothesis.settings.register_profile("tichu", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("tichu")
LEFT_OUT = pytest.StashKey[list[str]]()


def pytest_report_header() -> str:
    return kernel_remark() or "The rules run compiled."


def pytest_sessionstart(session: pytest.Session) -> None:
    """Makes translations and static files as ``play`` does, once for all processes that run tests."""
    if MISSING and os.environ.get("CI") == "true":
        raise pytest.UsageError(f"in CI no test may be left out, but there is no {', no '.join(MISSING.values())}")
    if not hasattr(session.config, "workerinput"):
        call_command("prepare", migrate=False, verbosity=0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests that need what is missing; of two processes, each begins with what takes long."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    needing = [item for item in items if any(item.get_closest_marker(marker) for marker in MISSING)]
    if not needing:
        return
    config.hook.pytest_deselected(items=needing)
    items[:] = [item for item in items if item not in needing]
    names = left_out(config)
    names += [item.nodeid for item in needing]
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = names


def left_out(config: pytest.Config) -> list[str]:
    """The names of the tests that are left out."""
    return config.stash.setdefault(LEFT_OUT, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes over what a process that ran tests has left out; all leave out the same."""
    left_out(node.config)[:] = node.workeroutput.get("left_out", [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    names = left_out(config)
    if names:
        terminalreporter.section("LEFT OUT", red=True, bold=True)
        terminalreporter.write_line(f"These {len(names)} tests need {' or '.join(MISSING.values())}:")
        for name in names:
            terminalreporter.write_line(f"  {name}")


@pytest.fixture(scope="session", autouse=True)
def _strict_messages() -> None:
    """A message in a wrong shape fails the test."""
    messages.strict = True


@pytest.fixture
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts a server with these settings: ``start_server(TICHU_PACE="1")``."""
    servers: list[Server] = []

    def start(**settings: str) -> Server:
        server = Server(tmp_path_factory.mktemp("server"), **settings)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that need no other settings; each takes a table name of its own."""
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Per module: while it runs, Playwright's loop keeps asyncio tests from running."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser profile of its own: ``open_page(locale="en")``."""
    contexts = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(**{"locale": "de-DE", **options})
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()
