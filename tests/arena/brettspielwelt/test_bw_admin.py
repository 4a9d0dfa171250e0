"""Logs in the admin: who may import them, what the lists and pages show, and that none of them reads a million rows."""

import io
from datetime import date
from pathlib import Path
from time import perf_counter
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.urls import reverse

from arena.brettspielwelt.admin import filters, lists, uploads
from arena.brettspielwelt.importing import import_logs
from arena.brettspielwelt.models import Game, GameSeat, Player, Round, RoundFinding
from tests.arena.examples import check_examples

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parents[2] / "data/bsw"
SAMPLE = SAMPLES / "900001.tch"
MARK = "---------------Gr.Tichukarten"


@pytest.fixture
def root(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def games():
    """All samples."""
    import_logs([SAMPLES])


def staff(client, *permissions):
    """Somebody who may so much in the admin."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client


def url(name, *args):
    return reverse(f"admin:brettspielwelt_{name}", args=args)


def page(client, name, *args, **query):
    response = client.get(url(name, *args), query)
    assert response.status_code == 200
    return response.content.decode()


def listed(client, model, **query):
    """The rows of a list."""
    response = client.get(url(f"{model}_changelist"), query)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def numbers(client, **query):
    return [game.number for game in listed(client, "game", **query)]


def upload(client, *files):
    """
    :param files: paths, or name and content.
    """
    contents = [(file.name, file.read_bytes()) if isinstance(file, Path) else file for file in files]
    return client.post(url("game_import"), {"logs": [SimpleUploadedFile(*content) for content in contents]})


def zipped(*members, name="logs.zip"):
    """
    :param members: name and content.
    """
    file = io.BytesIO()
    with ZipFile(file, "w", 8) as archive:
        for member in members:
            archive.writestr(*member)
    return name, file.getvalue()


def test_the_examples_are_right():
    check_examples(lists)


# --- importing --------------------------------------------------------------------------------------------------------


def test_a_log_is_stored_and_the_page_leads_to_its_game(root):
    text = upload(root, SAMPLE).content.decode()
    game = Game.objects.get()
    assert game.number == 900001
    assert "1 game stored" in text
    assert f'<a href="{url("game_change", game.pk)}">900001</a>: Nordwind, C.Moll! – Bär_77, Ähre-9' in text
    assert f'<a href="{reverse("replay-log", args=["900001"])}">replay' in text


def test_the_figures_of_players_are_renewed(root):
    upload(root, SAMPLE)
    assert set(Player.objects.values_list("games", flat=True)) == {1}


def test_a_zip_is_stored_with_the_months_of_its_folders(root):
    upload(root, zipped(("200703/900001.tch", SAMPLE.read_bytes())))
    assert Game.objects.get().month == date(2007, 3, 1)


def test_several_files_are_imported_at_once(root):
    text = upload(root, SAMPLE, SAMPLES / "900002.tch").content.decode()
    assert "2 games stored" in text
    assert Game.objects.count() == 2


def test_the_same_log_again_changes_nothing_and_is_linked_all_the_same(root):
    upload(root, SAMPLE)
    before = list(Round.objects.values())
    text = upload(root, SAMPLE).content.decode()
    assert "Nothing new" in text
    assert url("game_change", Game.objects.get().pk) in text
    assert list(Round.objects.values()) == before


def test_a_game_without_a_number_is_called_like_its_file_wherever_it_stands(root):
    text = upload(root, zipped(("some/night.tch", SAMPLE.read_bytes()))).content.decode()
    game = Game.objects.get()
    assert f'<a href="{url("game_change", game.pk)}">night.tch</a>' in text
    assert f'<a href="{url("game_change", game.pk)}">night.tch</a>' in page(root, "game_changelist")
    assert f'<a href="{url("game_change", game.pk)}">night.tch</a>' in page(root, "round_changelist")
    assert "<h2>night.tch</h2>" in page(root, "game_change", game.pk)


def test_a_changed_log_takes_the_place_of_the_old_one(root):
    upload(root, SAMPLE)
    text = upload(root, ("900001.tch", (SAMPLES / "900002.tch").read_bytes())).content.decode()
    assert '<th scope="row">of these in place of older ones</th><td>1</td>' in text
    assert Game.objects.count() == 1


def test_findings_are_counted_by_code(root):
    text = upload(root, SAMPLES / "900006_truncated.tch").content.decode()
    assert '<th scope="row">too short</th><td>1</td><td>1</td>' in text


def test_what_is_no_log_stores_nothing_and_is_named(root):
    text = upload(root, ("900009.tch", b"\x89PNG\r\n\x1a\n")).content.decode()
    assert "Nothing was stored" in text
    assert "<strong>900009.tch</strong>" in text
    assert not Game.objects.exists()


def test_a_file_of_another_kind_is_refused(root):
    assert "cat.png is neither a log (.tch) nor a .zip" in upload(root, ("cat.png", b"meow")).content.decode()


def test_what_is_no_zip_is_named(root):
    text = upload(root, ("logs.zip", b"no zip at all")).content.decode()
    assert "Nothing was stored" in text
    assert "no zip that can be read" in text


def test_no_file_is_an_error(root):
    assert "Choose at least one file." in root.post(url("game_import"), {}).content.decode()


def test_too_large_files_are_refused_before_anything_is_stored(root, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_UPLOADED", SAMPLE.stat().st_size)
    text = upload(root, SAMPLE, ("900002.tch", b"x")).content.decode()
    assert "at most" in text
    assert "bw_import" in text
    assert not Game.objects.exists()


def test_a_zip_that_unpacks_to_too_much_is_refused(root):
    bomb = zipped(("1.tch", b"0" * (uploads.MOST_UNPACKED + 1)))
    assert len(bomb[1]) < uploads.MOST_UPLOADED
    assert "at most 100 MB can be imported" in upload(root, bomb).content.decode()


def test_a_failing_database_is_told_and_leaves_whole_games(root, monkeypatch):
    def fail(*args, **options):
        raise DatabaseError("database is locked")

    monkeypatch.setattr(uploads, "import_logs", fail)
    text = upload(root, SAMPLE).content.decode()
    assert "The import ended early" in text
    assert "database is locked" in text


def test_names_of_files_are_no_markup(root):
    text = upload(root, ("<b>x.tch", b"nothing")).content.decode()
    assert "<b>x" not in text


# --- who may what -----------------------------------------------------------------------------------------------------


def test_who_may_add_games_imports_and_sees_the_button(client):
    staff(client, "add_game", "view_game")
    assert url("game_import") in page(client, "game_changelist")
    assert "1 game stored" in upload(client, SAMPLE).content.decode()


def test_who_may_only_look_cannot_import(client):
    staff(client, "view_game")
    assert url("game_import") not in page(client, "game_changelist")
    assert client.get(url("game_import")).status_code == 403
    assert upload(client, SAMPLE).status_code == 403
    assert not Game.objects.exists()


def test_a_form_of_another_site_imports_nothing(client):
    staff(client, "add_game")
    client.handler.enforce_csrf_checks = True
    assert upload(client, SAMPLE).status_code == 403
    assert not Game.objects.exists()


def test_guests_are_sent_to_the_login(client):
    assert client.get(url("game_import")).status_code == 302
    assert client.get(url("game_changelist")).status_code == 302


@pytest.mark.parametrize("model", ["game", "round", "player"])
def test_not_even_root_changes_or_adds(root, games, model):
    row = {"game": Game, "round": Round, "player": Player}[model].objects.first()
    assert root.get(url(f"{model}_add")).status_code == 403
    assert root.post(url(f"{model}_change", row.pk), {"name": "x", "key": "x"}).status_code == 403
    assert '<input type="submit" value="Save"' not in page(root, f"{model}_change", row.pk)


@pytest.mark.parametrize("model", ["round", "player"])
def test_rounds_and_players_are_not_deleted(root, games, model):
    row = {"round": Round, "player": Player}[model].objects.first()
    assert root.post(url(f"{model}_delete", row.pk), {"post": "yes"}).status_code == 403


def test_who_may_delete_games_deletes_all_of_them(client, games):
    staff(client, "view_game", "delete_game")
    game = Game.objects.get(number=900001)
    asked = client.get(url("game_delete", game.pk)).content.decode()
    assert f"Rounds: {game.rounds_count}" in asked
    client.post(url("game_delete", game.pk), {"post": "yes"})
    assert not Game.objects.filter(number=900001).exists()
    assert not Round.objects.filter(game=game.pk).exists()


def test_who_may_only_look_deletes_nothing(client, games):
    staff(client, "view_game")
    game = Game.objects.first()
    assert client.post(url("game_delete", game.pk), {"post": "yes"}).status_code == 403


# --- lists ------------------------------------------------------------------------------------------------------------


def test_the_list_names_the_four_by_teams(root):
    import_logs([SAMPLE])
    assert "Nordwind, C.Moll! – Bär_77, Ähre-9" in page(root, "game_changelist")


def test_games_are_found_by_number_and_by_players(root, games):
    assert numbers(root, q="900001") == [900001]
    with_bear = numbers(root, q="bär_77")
    assert 900001 in with_bear
    assert set(numbers(root, q="Bär_77 Nordwind")) <= set(with_bear)
    assert numbers(root, q="Bär_77 nobody") == []


@pytest.fixture
def taken_over():
    """900001, where Saphir has the seat of Bär_77 from round 4 on."""
    *before, after = SAMPLE.read_text("utf-8").split(MARK, 4)
    text = MARK.join([*before, after.replace("Bär_77", "Saphir")])
    import_logs([("900001.tch", io.BytesIO(text.encode()))])
    return Game.objects.get()


@pytest.mark.parametrize("most", [filters.FEW_PLAYERS, 0], ids=["few", "many"])
def test_who_took_over_a_seat_is_found_by_the_game_and_by_those_rounds(root, taken_over, monkeypatch, most):
    """Whether few are called so or many: they are looked for in other ways."""
    monkeypatch.setattr(filters, "FEW_PLAYERS", most)
    assert numbers(root, q="saphir") == [900001]
    assert numbers(root, player=Player.objects.get(name="Saphir").pk) == [900001]
    rounds = [round.number for round in listed(root, "round", q="saphir")]
    assert rounds == list(range(taken_over.rounds_count, 3, -1))
    assert [round.number for round in listed(root, "round", q="Bär 900001")] == [3, 2, 1]
    assert numbers(root, q="nobody") == []


def test_who_took_over_a_seat_is_named(root, taken_over):
    assert "Nordwind, C.Moll! – Bär_77, Ähre-9; later Saphir" in page(root, "game_changelist")
    assert '<th scope="row">1, from round 4</th>' in page(root, "game_change", taken_over.pk)


def test_games_are_found_by_the_key_of_a_log_without_a_number(root, games):
    game = Game.objects.filter(number=None).first()
    assert listed(root, "game", q=game.key) == [game]


def test_games_and_rounds_are_found_by_the_file_of_a_log_without_a_number(root, games):
    game = Game.objects.get(source__endswith="crlf.tch")
    assert listed(root, "game", q="5_CRLF.tch") == [game]
    assert {round.game for round in listed(root, "round", q="900005_crlf.tch")} == {game}
    assert numbers(root, q="900001.tch") == []


@pytest.mark.parametrize("model", ["game", "round", "player", "figures"])
def test_where_nothing_is_stored_the_page_leads_to_the_import(root, model):
    assert f'<a href="{url("game_import")}">Import logs…</a> here, or with <code>python manage.py bw_import' in page(
        root, f"{model}_changelist"
    )


def test_where_nothing_is_stored_who_may_only_look_is_told_the_command(client):
    text = page(staff(client, "view_game"), "game_changelist")
    assert "Logs are imported with <code>python manage.py bw_import" in text


def test_the_games_lead_to_the_statistics_whoever_may_see_them(client):
    link = f'<a href="{url("figures_changelist")}">Statistics</a></li>'
    assert link not in page(staff(client, "view_game"), "game_changelist")
    client.force_login(User.objects.create_superuser("root"))
    assert link in page(client, "game_changelist")


def test_games_are_filtered_by_year_and_by_month(root):
    logs = [("200703/1.tch", SAMPLE.read_bytes()), ("200812/2.tch", SAMPLE.read_bytes())]
    upload(root, zipped(*logs))
    assert numbers(root, month="2007") == [1]
    assert numbers(root, month="2008-12") == [2]
    assert numbers(root, month="2008-11") == []
    assert "March 2007" in page(root, "game_changelist", month="2007")


def test_games_are_filtered_by_what_was_found_first(root, games):
    assert {game.finding for game in listed(root, "game", finding="none")} == {""}
    found = {game.finding for game in listed(root, "game", finding="any")}
    assert found
    assert "" not in found
    for code in found:
        assert {game.finding for game in listed(root, "game", finding=code)} == {code}


def test_games_are_filtered_by_their_score(root, games):
    for least in (500, 1000):
        expected = {game.pk for game in Game.objects.all() if abs(game.score_20 - game.score_31) >= least}
        assert {game.pk for game in listed(root, "game", score=least)} == expected
    assert 0 < len(expected) < Game.objects.count()


def test_rounds_are_filtered_by_year_and_by_month(root):
    upload(root, zipped(("200703/1.tch", SAMPLE.read_bytes()), ("200812/2.tch", SAMPLE.read_bytes())))
    assert {round.game.number for round in listed(root, "round", month="2007")} == {1}
    assert {round.game.number for round in listed(root, "round", month="2008-12")} == {2}
    assert listed(root, "round", month="2008-11") == []


def test_games_are_filtered_by_their_end_and_their_players(root, games):
    assert {game.is_finished for game in listed(root, "game", is_finished__exact=0)} == {False}
    player = Player.objects.get(name="Nordwind")
    expected = set(GameSeat.objects.filter(player=player).values_list("game", flat=True))
    assert {game.pk for game in listed(root, "game", player=player.pk)} == expected


@pytest.mark.parametrize(
    "query", [{"month": "x"}, {"month": "2007-99"}, {"finding": "x"}, {"player": "9" * 30}, {"player": "²"}]
)
def test_a_filter_that_is_not_offered_is_refused(root, games, query):
    """The admin leads back to the list."""
    assert root.get(url("game_changelist"), query).status_code == 302


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ({"finding": "none"}, lambda round: not round.state),
        ({"finding": "any"}, lambda round: round.state),
        ({"calls": "0"}, lambda round: not round.calls),
        ({"calls": "2"}, lambda round: round.calls >= 2),
        ({"bombs": "1"}, lambda round: round.bombs),
        ({"double_victory__exact": "1"}, lambda round: round.double_victory),
        ({"is_usable__exact": "0"}, lambda round: not round.is_usable),
        ({"q": "900001"}, lambda round: round.game.number == 900001),
        ({"score": "200"}, lambda round: round.is_usable and abs(round.score_20 - round.score_31) >= 200),
        (
            {"score": "other"},
            lambda round: round.is_usable and (round.score_20, round.score_31) != (round.logged_20, round.logged_31),
        ),
    ],
)
def test_rounds_are_filtered(root, games, query, fits):
    expected = {round.pk for round in Round.objects.select_related("game") if fits(round)}
    assert expected
    assert {round.pk for round in listed(root, "round", **query)} == expected


def test_rounds_lead_to_their_replay(root):
    import_logs([SAMPLE])
    assert f'href="{reverse("replay-log", args=["900001"])}#r3.0"' in page(root, "round_changelist")


def test_players_are_listed_by_elo_and_found_by_name(root):
    upload(root, SAMPLE)
    players = listed(root, "player")
    assert [player.elo for player in players] == sorted((player.elo for player in players), reverse=True)
    assert [player.name for player in listed(root, "player", q="bär")] == ["Bär_77"]


def test_a_list_counts_no_further_than_it_can_be_turned(root, games, monkeypatch):
    monkeypatch.setattr(lists.BoundedPaginator, "most", 3)
    assert "Only the first 3 are listed" in page(root, "game_changelist")
    assert "3 or more results" in page(root, "game_changelist", finding="any")


# --- a game -----------------------------------------------------------------------------------------------------------


def test_a_game_shows_its_rounds_and_leads_to_their_replay(root):
    import_logs([SAMPLE])
    game = Game.objects.get()
    text = page(root, "game_change", game.pk)
    for round in game.rounds.all():
        assert f"{reverse('replay-log', args=['900001'])}#r{round.number}.0" in text
        assert f"{round.logged_20} : {round.logged_31}" in text
    assert url("player_change", game.seats.get(seat=0).player_id) in text


def test_a_game_shows_who_called_who_bombed_and_what_is_wrong(root, games):
    shown = "".join(page(root, "game_change", game.pk) for game in Game.objects.all())
    assert "Tichu made" in shown
    assert "Tichu lost" in shown
    for finding in RoundFinding.objects.all():
        assert finding.code.replace("_", " ") in shown


# --- speed ------------------------------------------------------------------------------------------------------------


def test_a_game_takes_as_many_queries_whatever_its_length(root, games, django_assert_num_queries):
    for game in Game.objects.all():
        with django_assert_num_queries(8):
            page(root, "game_change", game.pk)


@pytest.mark.parametrize(("model", "queries"), [("game", 8), ("round", 6), ("player", 4)])
def test_a_list_takes_as_many_queries_whatever_its_length(root, games, django_assert_num_queries, model, queries):
    assert len(listed(root, model)) > 1
    with django_assert_num_queries(queries):
        page(root, f"{model}_changelist")


@pytest.fixture
def many():
    """20,000 games with 200,000 rounds."""
    count, rounds = 20_000, 10
    codes = ["", "", "game_unfinished", "", "score_mismatch"]
    players = Player.objects.bulk_create(Player(name=f"player {number}") for number in range(2_000))
    made = Game.objects.bulk_create(
        Game(
            key=str(number), number=number, month=date(2007 + number * 10 // count, 1, 1), source=f"{number}.tch",
            checksum=str(number), rounds_count=rounds, is_finished=number % 50 > 0, finding=codes[number % 5],
            score_20=1000, score_31=0,
        )
        for number in range(1, count + 1)
    )  # fmt: skip
    GameSeat.objects.bulk_create(
        GameSeat(game=game, seat=seat, player=players[(game.number * 7 + seat * 13) % len(players)])
        for game in made
        for seat in range(4)
    )
    Round.objects.bulk_create(
        Round(
            game=game, number=number, state=codes[number % 5] and "score_mismatch", is_usable=number % 9 > 0,
            score_20=100, score_31=0, logged_20=100, logged_31=0, calls=number % 4, bombs=number % 5 == 0,
            double_victory=number == 7,
        )
        for game in made
        for number in range(1, rounds + 1)
    )  # fmt: skip


@pytest.mark.slow
def test_pages_of_a_large_archive_come_within_a_moment(root, many):
    """Issue 4: a hundred thousand games within 300 ms; this is a fifth, on a machine that others use."""
    times = {}
    for model, query in [
        ("game", {}),
        ("game", {"p": "99"}),
        ("game", {"month": "2007"}),
        ("game", {"finding": "score_mismatch"}),
        ("game", {"is_finished__exact": "0"}),
        ("game", {"q": "777"}),
        ("game", {"q": "player"}),
        ("game", {"q": "night.tch"}),
        ("game", {"score": "2000"}),
        ("game", {"finding": "none"}),
        ("game", {"player": str(Player.objects.first().pk)}),
        ("game", {"o": "2"}),
        ("round", {}),
        ("round", {"finding": "any"}),
        ("round", {"bombs": "1", "calls": "2"}),
        ("round", {"is_usable__exact": "0"}),
        ("round", {"q": "777"}),
        ("round", {"q": "player"}),
        ("round", {"q": "night.tch"}),
        ("round", {"month": "2007"}),
        ("round", {"score": "400"}),
        ("player", {"q": "77"}),
    ]:
        best = []
        for _ in range(3):
            begin = perf_counter()
            listed(root, model, **query)
            best.append(perf_counter() - begin)
        times[model, *query.items()] = round(1000 * min(best))
    assert {query: ms for query, ms in times.items() if ms > 300} == {}, times
