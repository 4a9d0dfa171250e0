"""Health, translations of the page, headers."""

import pytest
from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.contrib.auth.models import User
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

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


GERMAN = {"accept-language": "de-DE,de;q=0.9"}


def test_the_admin_is_english_in_a_german_browser(client):
    login = client.get("/admin/login/", headers=GERMAN)
    assert '<html lang="en"' in login.content.decode()
    assert '<input type="submit" value="Log in">' in login.content.decode()
    client.force_login(User.objects.create_superuser("root"))
    for model in admin.site._registry:
        page = client.get(reverse(admin_urlname(model._meta, "changelist")), headers=GERMAN)
        assert page["Content-Language"] == "en"
        assert '<html lang="en"' in page.content.decode()
        assert ">Log out</button>" in page.content.decode()


def test_a_page_beside_the_admin_speaks_the_language_of_the_browser(client):
    client.get("/admin/login/", headers=GERMAN)
    client.force_login(User.objects.create_user("kim", is_staff=True))
    answers = [client.get("/replay/match/1/", headers={"accept-language": language}) for language in ("de", "en")]
    assert [answer["Content-Language"] for answer in answers] == ["de", "en"]


def test_an_unknown_language_has_no_catalogue(site):
    assert site.get("/catalog/xx.json").status_code == 404


def test_a_database_that_does_not_answer_is_unhealthy(site, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", refuse)
    response = site.get("/healthz")
    assert response.status_code == 503
    assert response.json()["database"] == "OperationalError"
