"""The page of the statistics: what it says, to whom, and that it counts nothing."""

import re
from pathlib import Path
from time import perf_counter
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from msgspec.structs import replace

from arena.brettspielwelt import charts, views
from arena.brettspielwelt.importing import import_logs
from arena.brettspielwelt.models import Figures, Game
from arena.brettspielwelt.statistics import FIGURES, refresh
from arena.charts import NARROW, WIDE
from tests.arena.examples import check_examples

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parents[2] / "data/bsw"
PAGE = "admin:brettspielwelt_figures_changelist"


@pytest.fixture
def root(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def all():
    import_logs([SAMPLES])
    return refresh()


def staff(client, *permissions):
    """Somebody who may so much in the admin."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client


def page(client):
    response = client.get(reverse(PAGE))
    assert response.status_code == 200
    return response


def chart(client, name, **query):
    return client.get(reverse("admin:brettspielwelt_figures_chart", args=[name]), query)


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("module", [charts, views])
def test_the_examples_are_right(module):
    check_examples(module)


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_index_leads_to_it(root):
    assert f'href="{reverse(PAGE)}"' in root.get(reverse("admin:app_list", args=["brettspielwelt"])).content.decode()


def test_an_empty_database_says_how_logs_get_there(root):
    text = page(root).content.decode()
    assert "No game is imported yet." in text
    assert reverse("admin:brettspielwelt_game_import") in text
    assert "<img" not in text


def test_who_may_not_import_is_told_the_command_only(client):
    text = page(staff(client, "view_figures")).content.decode()
    assert "bw_import" in text
    assert reverse("admin:brettspielwelt_game_import") not in text


def test_games_that_were_never_counted_wait_for_the_command(root):
    import_logs([SAMPLES / "900001.tch"])
    text = page(root).content.decode()
    assert "not counted yet" in text
    assert "bw_stats" in text


def test_every_chart_has_a_name_words_and_a_table(root, all):
    response = page(root)
    sections = response.context["sections"]
    assert [section["name"] for section in sections] == [*charts.CHARTS]
    for section in sections:
        assert section["says"]
        assert section["alt"]
        assert {len(row) for row in section["rows"]} == {len(section["head"])}
        assert section["url"].replace("&", "&amp;") in response.content.decode()


def test_the_published_figures_stand_beside_ours(root, all):
    rows = {label: cells for label, *cells in page(root).context["figures"]}
    assert len(rows) == len(FIGURES)
    assert rows["Tichu calls per seat"] == [f"{all.tichu.per_seat:.1%}", "15.1%", "13.9%"]
    assert rows["grand Tichu calls per seat, made"][1:] == ["60.7%", "61.8%"]


def test_the_page_says_when_games_have_come_since(root, all):
    assert "have come or gone" not in page(root).content.decode()
    Game.objects.filter(number=900001).delete()
    text = page(root).content.decode()
    assert "have come or gone" in text
    assert "13 games" in text
    refresh()
    assert "12 games" in page(root).content.decode()


def test_an_upload_is_counted_at_once(root):
    with (SAMPLES / "900001.tch").open("rb") as log:
        root.post(reverse("admin:brettspielwelt_game_import"), {"logs": [log]})
    assert "1 game, 1 of them finished" in page(root).content.decode()


def test_of_games_without_a_usable_round_the_stock_and_the_findings_are_shown(root, tmp_path):
    """Of 900006 only what is left of its tenth round."""
    lines = (SAMPLES / "900006_truncated.tch").read_text(encoding="utf-8").rpartition("---------------Gr.")
    tmp_path.joinpath("1.tch").write_text("".join(lines[1:]), encoding="utf-8")
    import_logs([tmp_path])
    assert refresh().usable_rounds == 0
    sections = page(root).context["sections"]
    assert [section["name"] for section in sections] == ["stock", "findings"]
    assert chart(root, "bombs").status_code == 404


# --- tables -----------------------------------------------------------------------------------------------------------


def table(root, name):
    return next(section["rows"] for section in page(root).context["sections"] if section["name"] == name)


def test_wishes_add_up_to_the_mah_jongs(root, all):
    rows = table(root, "wishes")
    assert [row[0] for row in rows] == ["none", *"23456789", "10", *"JQKA"]
    assert sum(int(row[1]) for row in rows) == all.mah_jongs
    assert rows[0][2] == f"{all.without_wish:.1%}"


def test_findings_stand_with_their_years(root, tmp_path):
    for month in ("200711", "200802"):
        (tmp_path / month).mkdir()
        (tmp_path / month / f"{month}.tch").write_bytes((SAMPLES / "900006_truncated.tch").read_bytes())
    import_logs([tmp_path])
    refresh()
    assert ["game unfinished", "0", "2", "1", "1"] in table(root, "findings")
    assert [row[:2] for row in table(root, "stock")] == [["2007", "1"], ["2008", "1"]]


def test_differences_add_up_to_the_rounds(root, all):
    assert sum(int(row[1]) for row in table(root, "differences")) == all.usable_rounds


# --- the charts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", charts.CHARTS)
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_chart_is_a_document_whose_policy_allows_its_own_style_only(root, all, name, size):
    response = chart(root, name, size=size)
    assert response["Content-Type"] == "image/svg+xml"
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[^']+'", response["Content-Security-Policy"])
    document = ElementTree.fromstring(response.content)
    asked = charts.size_of(name, all, narrow=size == "narrow")
    assert (int(document.get("width")), int(document.get("height"))) == asked
    assert asked.width == {"wide": WIDE, "narrow": NARROW}[size].width
    assert not [key for element in document.iter() for key in element.attrib if re.match("style|on|.*href", key)]


def test_there_is_no_other_chart(root, all):
    assert chart(root, "pie").status_code == 404


def test_there_is_no_chart_of_nothing(root):
    assert chart(root, "stock").status_code == 404


def test_findings_are_labelled_with_their_share(all):
    unfinished = sum(row.games for row in all.findings if row.code == "game_unfinished")
    assert f"{unfinished:,}, {unfinished / all.games:.2%}" in texts(charts.findings(all, WIDE))


def test_the_calls_of_each_seat_are_written_at_their_bars(all):
    seat = all.seats[3].tichu
    written = texts(charts.calls(all, WIDE))
    assert "seat 3, Tichu" in written
    assert f"{seat.per_seat:.1%}, {seat.made:.0%} made" in written


def test_what_fewer_than_one_in_a_hundred_games_reach_is_not_drawn(all):
    """One of five games has 14 rounds, two have 13; of 200 they would be too few and just enough."""
    assert [standing.games for standing in all.cumulated[-2:]] == [2, 1]
    assert "14" in texts(charts.cumulated(all, WIDE))
    many = texts(charts.cumulated(replace(all, finished_games=200), WIDE))
    assert "12" in many
    assert "14" not in many


def test_many_years_share_labels():
    """On a phone."""
    years = [str(year) for year in range(2007, 2026)]
    svg = charts._columns("stock", NARROW, years, [(1, 1)] * len(years), str)
    assert 4 < len({*texts(svg)} & {*years}) <= 10


# --- who may what, and how soon ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("permissions", [[], ["view_game", "add_game"]])
def test_nothing_is_shown_without_the_permission_to_view(client, all, permissions):
    staff(client, *permissions)
    assert client.get(reverse(PAGE)).status_code == 403
    assert chart(client, "stock").status_code == 403


def test_visitors_are_asked_who_they_are(client, all):
    assert client.get(reverse(PAGE)).status_code == 302
    assert chart(client, "stock").status_code == 302


def test_who_may_view_sees_all_of_it(client, all):
    staff(client, "view_figures")
    assert page(client).context["sections"]
    assert chart(client, "stock").status_code == 200


def test_the_page_takes_as_many_queries_whatever_there_is(root, all, django_assert_num_queries):
    """Session, user; what was counted, what has changed since (2), whether there is a game."""
    for _ in range(2):
        with django_assert_num_queries(6):
            page(root)
        Figures.change([None])


@pytest.mark.slow
def test_the_page_comes_within_a_moment_whatever_is_stored(root, all):
    """As for the lists, 300 ms; 228 months are more than the archive has. Nothing but sums is read."""
    Figures.objects.bulk_create(
        Figures(key=f"{year}-{month:02}", version="new") for year in range(2007, 2026) for month in range(1, 13)
    )
    times = []
    for _ in range(5):
        begin = perf_counter()
        page(root)
        times.append(perf_counter() - begin)
    assert min(times) < 0.3
