"""Settings, the secret and what is kept out of the logs."""

import logging
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tichu_site.logs import SecretsFilter
from tichu_site.secret import stored_secret

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (ROOT / "tichu_site/settings.py").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()


def in_fresh_process(code: str, directory: Path, **environment: str) -> str:
    """What this code prints under settings that read this environment."""
    return subprocess.run(
        [sys.executable, "-c", f"from tichu_site import settings\n{code}"],
        cwd=ROOT,
        env={"DATA_DIR": str(directory), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_the_example_names_every_variable_and_no_other():
    read = set(re.findall(r'(?:env\.\w+|_limit)\("(\w+)"', SETTINGS))
    assert set(re.findall(r"^#(\w+)=", EXAMPLE, re.MULTILINE)) == read


def test_the_example_shows_the_defaults(tmp_path):
    shown = dict(re.findall(r"^#(\w+)=(.*)$", EXAMPLE, re.MULTILINE))
    del shown["DATA_DIR"]
    report = "print({n: v for n, v in vars(settings).items() if n.isupper() and n not in ('SECRET_KEY', 'VERSION')})"
    assert in_fresh_process(report, tmp_path, **shown) == in_fresh_process(report, tmp_path)


def test_defaults_are_safe(tmp_path):
    code = "print(settings.DEBUG, settings.ALLOWED_HOSTS, len(settings.SECRET_KEY) >= 50)"
    assert in_fresh_process(code, tmp_path) == "False ['localhost', '127.0.0.1', '[::1]'] True"


def test_the_content_security_policy_allows_nothing_unsafe(settings):
    assert "unsafe" not in str(settings.SECURE_CSP)


def test_the_first_start_makes_a_secret_that_only_its_owner_reads(tmp_path):
    path = tmp_path / "secret_key"
    secret = stored_secret(path)
    assert len(secret) == 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stored_secret(path) == secret


def test_sqlite_waits_at_begin_and_survives_a_power_cut(tmp_path):
    code = "print(settings.DATABASES['default']['OPTIONS'])"
    options = in_fresh_process(code, tmp_path)
    for option in ("IMMEDIATE", "journal_mode=WAL", "synchronous=FULL", "'timeout': 20"):
        assert option in options


def test_postgresql_and_redis_come_from_the_environment(tmp_path):
    urls = {"DATABASE_URL": "postgres://me:secret@db:5433/tichu", "REDIS_URL": "redis://cache:6379/2"}
    code = "print(settings.DATABASES['default'], settings.CHANNEL_LAYERS['default'])"
    answer = in_fresh_process(code, tmp_path, **urls)
    for part in ("postgresql", "'tichu'", "5433", "RedisPubSubChannelLayer", "redis://cache:6379/2"):
        assert part in answer


def test_one_setting_switches_all_limits_off(tmp_path):
    names = re.findall(r'_limit\("(\w+)"', SETTINGS)
    code = f"print({{getattr(settings, name) for name in {names}}})"
    assert in_fresh_process(code, tmp_path, TICHU_LIMITS="0") == "{0}"


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("WSCONNECT /ws?session_id=%s", ("3F2504E0-4F89-41D3-9A0C-0305E82C3301",)),
        ("session 3f2504e0-4f89-41d3-9a0c-0305e82c3301 unknown", ()),
    ],
)
def test_session_ids_are_blackened_in_logs(message, arguments):
    record = logging.LogRecord("lobby", logging.INFO, "", 0, message, arguments, None)
    SecretsFilter().filter(record)
    assert "4f89" not in record.getMessage().lower()
    assert "[session]" in record.getMessage()
