"""Health, translations of the page, headers."""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import OperationalError, connection
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> Client:
    return Client(headers={"accept-encoding": "gzip"})


def test_static_files_have_hashed_names_are_compressed_and_kept_for_ever(site):
    url = staticfiles_storage.url("admin/css/base.css")
    response = site.get(url)
    assert url != "/static/admin/css/base.css"
    assert response["Content-Encoding"] == "gzip"
    assert "immutable" in response["Cache-Control"]


def test_every_answer_carries_the_security_headers(site):
    response = site.get("/admin/login/")
    assert response["Content-Security-Policy"].startswith("default-src 'self'; ")
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


def test_an_unknown_language_has_no_catalogue(site):
    assert site.get("/catalog/xx.json").status_code == 404


def test_a_database_that_does_not_answer_is_unhealthy(site, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", refuse)
    response = site.get("/healthz")
    assert response.status_code == 503
    assert response.json()["database"] == "OperationalError"
