"""Settings of the site.

Each comes from the environment or from ``.env`` beside ``manage.py`` (``.env.example`` lists them all). The defaults
are safe on a fresh machine: loopback, no debug pages, SQLite and a secret of its own under ``data/``.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import environ

from tichu_site.secret import stored_secret

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
env.read_env(BASE_DIR / ".env")

VERSION = version("tichu")
DATA_DIR = BASE_DIR / env.str("DATA_DIR", default="data")
DATA_DIR.mkdir(parents=True, exist_ok=True)

# --- security ---------------------------------------------------------------------------------------------------------

DEBUG: bool = env.bool("DEBUG", default=False)
SECRET_KEY: str = env.str("SECRET_KEY", default="") or stored_secret(DATA_DIR / "secret_key")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# A proxy in front speaks TLS; it sets (not: appends to) X-Forwarded-For and X-Forwarded-Proto.
BEHIND_PROXY: bool = env.bool("BEHIND_PROXY", default=False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_PROXY

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# Django 6's name and shape; tichu_site.csp is its stand-in until then.
SECURE_CSP: dict[str, list[str]] = {
    "default-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}

# --- applications -----------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "daphne",
    "servestatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "games",
    "lobby",
    "arena",
    "arena.brettspielwelt",
    "arena.learning",
    "tichu_site",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "tichu_site.csp.ContentSecurityPolicyMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "tichu_site.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tichu_site.urls"
ASGI_APPLICATION = "tichu_site.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- database and channel layer ---------------------------------------------------------------------------------------

DATABASE_URL = env.str("DATABASE_URL", default="") or f"sqlite:///{DATA_DIR / 'db.sqlite3'}"
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(DATABASE_URL)}
_database = DATABASES["default"]
_database["CONN_MAX_AGE"] = None
if _database["ENGINE"].endswith("sqlite3"):
    # A writer waits at BEGIN instead of failing in the middle, and what was committed survives a power cut.
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL: str = env.str("REDIS_URL", default="")
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {"default": {"BACKEND": "lobby.layers.EmbeddedChannelLayer"}}
if REDIS_URL:
    # A pool of redis-py gives up beyond 100 connections by default.
    CHANNEL_LAYERS["default"] = {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, "max_connections": 10_000}]},
    }

# --- tables (docs/protocol.md) ----------------------------------------------------------------------------------------

ENGINE_SHARDS: int = env.int("ENGINE_SHARDS", default=64)
ENGINE_LEASE_TTL: float = env.float("ENGINE_LEASE_TTL", default=3.0)  # seconds until a dead worker's tables move on

TICHU_PACE: float = env.float("TICHU_PACE", default=1.0)  # scales every pause at the table; 0: none
TICHU_MAINTENANCE: bool = env.bool("TICHU_MAINTENANCE", default=False)  # refuses new connections with 107
TICHU_SEAT_KEPT_S: float = env.float("TICHU_SEAT_KEPT_S", default=20.0)  # for somebody whose connection was lost
TICHU_EMPTY_TABLE_S: float = env.float("TICHU_EMPTY_TABLE_S", default=1800.0)  # until a table without humans closes
TICHU_PING_S: int = env.int("TICHU_PING_S", default=30)  # silence after which a client is pinged
TICHU_STRICT_MESSAGES: bool = env.bool("TICHU_STRICT_MESSAGES", default=False)  # raise where a wrong shape is sent

TICHU_LIMITS: bool = env.bool("TICHU_LIMITS", default=True)


def _limit(name: str, default: int) -> int:
    """A limit of section 8 of the protocol; 0 means none, and ``TICHU_LIMITS=0`` makes all of them so."""
    return env.int(name, default=default) if TICHU_LIMITS else 0


TICHU_FRAME_BYTES = _limit("TICHU_FRAME_BYTES", 64 * 1024)
TICHU_MESSAGE_BYTES = _limit("TICHU_MESSAGE_BYTES", 8 * 1024)
TICHU_MESSAGES_PER_SECOND = _limit("TICHU_MESSAGES_PER_SECOND", 20)
TICHU_MESSAGE_BURST = _limit("TICHU_MESSAGE_BURST", 40)
TICHU_CONNECTIONS_PER_MINUTE = _limit("TICHU_CONNECTIONS_PER_MINUTE", 30)
TICHU_SOCKETS_PER_ADDRESS = _limit("TICHU_SOCKETS_PER_ADDRESS", 20)
TICHU_NEW_TABLES_PER_MINUTE = _limit("TICHU_NEW_TABLES_PER_MINUTE", 5)
TICHU_TABLES = _limit("TICHU_TABLES", 1000)
TICHU_CHATS_PER_SECOND = _limit("TICHU_CHATS_PER_SECOND", 1)
TICHU_CHAT_CHARACTERS = _limit("TICHU_CHAT_CHARACTERS", 500)
TICHU_UNSENT_MESSAGES = _limit("TICHU_UNSENT_MESSAGES", 256)

# --- languages and files ----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "de"
LANGUAGES = [("de", "Deutsch"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE: str = env.str("TIME_ZONE", default="UTC")
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
SERVESTATIC_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"},
}
if DEBUG:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

# --- logging ----------------------------------------------------------------------------------------------------------

LOG_LEVEL: str = env.str("LOG_LEVEL", default="INFO")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"secrets": {"()": "tichu_site.logs.SecretsFilter"}},
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["secrets"]},
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # strangers looking around
        "games": {"level": LOG_LEVEL},
        "lobby": {"level": LOG_LEVEL},
        "arena": {"level": LOG_LEVEL},
        "tichu_site": {"level": LOG_LEVEL},
    },
}
