"""Games of the Brettspielwelt in the admin: who played, what the logs say, what is wrong with them.

    file ──Import logs…──▶ importing ──▶ games ──▶ a game, its rounds ──▶ replay

Nothing can be changed here; games can be deleted. There may be millions of games and ten times as many rounds, so no
list counts all of its rows: what is behind the first :data:`MOST_LISTED` is found by filters and search, and where many
rows are meant no query looks for all of them.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from io import BytesIO
from pathlib import PurePath
from typing import Any
from zipfile import ZipFile

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.db import DatabaseError
from django.db.models import Exists, F, Model, OuterRef, Prefetch, Q, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.brettspielwelt import archive, statistics
from arena.brettspielwelt.findings import Code
from arena.brettspielwelt.importing import Summary, import_logs
from arena.brettspielwelt.models import Figures, Game, GameSeat, Player, Round, RoundFinding, RoundSeat, SeatChange
from arena.brettspielwelt.views import StatisticsPage
from games.admin import ReadOnly

MEGABYTE = 10**6  # bytes
MOST_UPLOADED = 20 * MEGABYTE  # in one go
MOST_UNPACKED = 100 * MEGABYTE  # what the logs in zips may have: 30 seconds of reading
MOST_LISTED = 10_000  # rows of a list that can be turned to
FEW_PLAYERS = 200  # whose games can all be looked up
MOST_NAMED = 50  # games or files of an import
MOST_REFRESHED = 2_000  # games with which the figures of players are made within a second or two


class BoundedPaginator(Paginator):
    """Counts no further than it lists."""

    most = MOST_LISTED

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Model] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[: self.most].count()


class Listed(ReadOnly, admin.ModelAdmin):
    """A long list of what nobody changes."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    class Media:
        css = {"all": ["arena/admin.css", "arena/brettspielwelt.css"]}


# --- cells ------------------------------------------------------------------------------------------------------------


def score(team_20: int | None, team_31: int | None) -> str:
    """
    >>> score(1035, -35), score(None, None)
    ('1035 : -35', '–')
    """
    return "–" if team_20 is None or team_31 is None else f"{team_20} : {team_31}"


def words(code: str) -> str:
    """
    >>> words("played_on"), words("")
    ('played on', '–')
    """
    return code.replace("_", " ") or "–"


def made(made: int, calls: int) -> str:
    """
    >>> made(1, 3), made(0, 0)
    ('3, 33% made', '–')
    """
    return f"{calls:,}, {made / calls:.0%} made" if calls else "–"


def players_of(game: Game) -> str:
    """Team 20 – team 31; later whoever took over a seat."""
    names = {seat.seat: str(seat.player) for seat in game.seats.all()}
    teams = " – ".join(", ".join(names.get(seat, "?") for seat in team) for team in ((0, 2), (1, 3)))
    later = dict.fromkeys(str(change.player) for change in game.seat_changes.all())
    return f"{teams}; later {', '.join(later)}" if later else teams


def replay_url(game: Game, number: int) -> str:
    """
    :param number: of the round, from 1.
    """
    return f"{reverse('replay-log', args=[game.key])}#r{number}.0"


# --- who played -------------------------------------------------------------------------------------------------------


def named(word: str) -> QuerySet[Player]:
    """Whose names have this in them."""
    return Player.objects.filter(name__icontains=word).order_by()


def are_few(players: QuerySet[Player]) -> bool:
    return players[: FEW_PLAYERS + 1].count() <= FEW_PLAYERS


def games_of(players: QuerySet[Player]) -> Q:
    """Games in which one of them played, if only some rounds. Of many players each game is asked in turn: soon there
    are enough to list."""
    if are_few(players):
        return Q(pk__in=_of(GameSeat, players)) | Q(pk__in=_of(SeatChange, players))
    return Q(Exists(_seats(GameSeat, players))) | Q(Exists(_seats(SeatChange, players)))


def rounds_of(players: QuerySet[Player]) -> Q:
    """Rounds that one of them played. There is no index from players to rounds: the games of few lead there."""
    seats = RoundSeat.objects.filter(round=OuterRef("pk"), player__in=players.values("pk"))
    if are_few(players):
        return Q(Exists(seats), game__in=Game.objects.filter(games_of(players)).order_by().values("pk"))
    return Q(Exists(seats))


def _of(seats: type[GameSeat | SeatChange], players: QuerySet[Player]) -> QuerySet[Any, Any]:
    return seats._default_manager.filter(player__in=players.values("pk")).order_by().values("game")


def _seats(seats: type[GameSeat | SeatChange], players: QuerySet[Player]) -> QuerySet[Any]:
    return seats._default_manager.filter(game=OuterRef("pk"), player__in=players.values("pk")).order_by()


# --- filters ----------------------------------------------------------------------------------------------------------


class Filter(admin.SimpleListFilter):
    """Takes none but what it offers."""

    def has_output(self) -> bool:
        """Also if nothing is offered but something asked for: else that would be passed over."""
        return self.value() is not None or super().has_output()

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return rows
        if value not in [choice for choice, _ in self.lookup_choices]:
            raise IncorrectLookupParameters(f"{self.parameter_name}={value}")
        return rows.filter(self.condition(value))

    def condition(self, value: str) -> Q:
        raise NotImplementedError


class MonthFilter(Filter):
    """The years; of that which is chosen the months, too."""

    title = "month"
    parameter_name = "month"
    field = "month"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        # Two queries: for one that asks for both ends SQLite would read all of the index.
        months = Game.objects.filter(month__isnull=False).values_list("month", flat=True)
        first, last = months.order_by("month").first(), months.order_by("-month").first()
        choices = []
        for year in range(last.year, first.year - 1, -1) if first and last else ():
            choices.append((str(year), str(year)))
            if (self.value() or "").startswith(str(year)):
                choices += [(f"{year}-{month:02}", f"{date(year, month, 1):%B %Y}") for month in range(1, 13)]
        return choices

    def condition(self, value: str) -> Q:
        year, _, month = value.partition("-")
        if month:
            return Q(**{self.field: date(int(year), int(month), 1)})
        return Q(**{f"{self.field}__year": int(year)})


class RoundMonthFilter(MonthFilter):
    field = "game__month"


class PlayerFilter(Filter):
    """Set by links from players; else it is not shown."""

    title = "player"
    parameter_name = "player"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        value = self.value() or ""
        players = Player.objects.filter(pk=int(value)) if value.isdecimal() and len(value) < 19 else ()
        return [(str(player.pk), str(player)) for player in players]

    def condition(self, value: str) -> Q:
        return games_of(Player.objects.filter(pk=int(value)))


class FindingFilter(Filter):
    """By the first finding: the only one for which the row itself has an index."""

    title = "first finding"
    parameter_name = "finding"
    field = "finding"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("none", "none"), ("any", "any"), *((code.value, words(code)) for code in Code)]

    def condition(self, value: str) -> Q:
        if value == "any":
            return ~Q(**{self.field: ""})
        return Q(**{self.field: "" if value == "none" else value})


class StateFilter(FindingFilter):
    field = "state"


class ScoreFilter(Filter):
    """By the computed score.

    :cvar leads: points.
    """

    title = parameter_name = "score"
    leads: Sequence[int]

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("equal", "equal"), *((str(lead), f"{lead:,} or more apart") for lead in self.leads)]

    def condition(self, value: str) -> Q:
        if value == "equal":
            return Q(score_20=F("score_31"))
        return Q(score_20__gte=F("score_31") + int(value)) | Q(score_31__gte=F("score_20") + int(value))


class GameScoreFilter(ScoreFilter):
    leads = (500, 1000, 1500, 2000)


class RoundScoreFilter(ScoreFilter):
    leads = (100, 200, 300, 400)

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [*super().lookups(request, model_admin), ("other", "not as logged")]

    def condition(self, value: str) -> Q:
        if value != "other":
            return super().condition(value)
        # Such a round has a finding, and by findings there is an index.
        return Q(state__gt="", is_usable=True) & ~Q(logged_20=F("score_20"), logged_31=F("score_31"))


class CountFilter(Filter):
    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("0", "none"), *((str(least), f"{least} or more") for least in range(1, 5))]

    def condition(self, value: str) -> Q:
        lookup = "gte" if int(value) else "exact"
        return Q(**{f"{self.parameter_name}__{lookup}": int(value)})


class CallsFilter(CountFilter):
    title = parameter_name = "calls"


class BombsFilter(CountFilter):
    title = parameter_name = "bombs"


# --- uploads ----------------------------------------------------------------------------------------------------------


class LogsInput(forms.FileInput):
    allow_multiple_selected = True


class LogsField(forms.FileField):
    """One or more files."""

    widget = LogsInput(attrs={"accept": ".tch,.zip"})
    default_error_messages = {"required": "Choose at least one file.", "empty": "This file is empty."}

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files: list[UploadedFile] = [super(LogsField, self).clean(file, initial) for file in data or [None]]
        for file in files:
            if PurePath(str(file.name)).suffix.lower() not in (".tch", ".zip"):
                raise ValidationError(f"{file.name} is neither a log (.tch) nor a .zip with logs.")
        for size, most, are in (
            (sum(file.size or 0 for file in files), MOST_UPLOADED, "These files have"),
            (sum(map(_unpacked, files)), MOST_UNPACKED, "The logs in these files have"),
        ):
            if size > most:
                raise ValidationError(
                    f"{are} {size / MEGABYTE:,.1f} MB, at most {most // MEGABYTE} MB can be imported here. "
                    "For more there is the command: manage.py bw_import"
                )
        return files


def _unpacked(file: UploadedFile) -> int:
    """Bytes. ZipFile reads no more of a member than is said here."""
    if not str(file.name).lower().endswith(".zip"):
        return file.size or 0
    try:
        with ZipFile(file) as members:
            return sum(member.file_size for member in members.infolist())
    except Exception:  # whatever is wrong with it: the import says so
        return 0
    finally:
        file.seek(0)


class ImportForm(forms.Form):
    logs = LogsField(
        help_text=f"Logs (<number>.tch) or zips with logs, at most {MOST_UPLOADED // MEGABYTE} MB together. "
        "The month of a game is the name of its folder in a zip, or stands in the index.html beside it."
    )


class Imported:
    """What came of an upload.

    :ivar error: it ended early.
    :ivar games: some of those that the files hold, each with its players and the address of its replay.
    :ivar refreshed: whether the figures of players are up to date.
    """

    def __init__(self, files: Sequence[UploadedFile]) -> None:
        contents = [(str(file.name), file.read()) for file in files]
        self.summary = Summary()
        self.error = ""
        try:
            import_logs(_places(contents), summary=self.summary)
            self.refreshed = Game.objects.order_by()[: MOST_REFRESHED + 1].count() <= MOST_REFRESHED
            if self.refreshed and self.summary.games:
                statistics.refresh()
        except DatabaseError as error:
            self.error = str(error)
        self.games = [(game, players_of(game), reverse("replay-log", args=[game.key])) for game in _games_in(contents)]
        findings = sorted(self.summary.findings.items(), key=lambda item: (-item[1].games, item[0]))
        self.findings = [(words(code), count) for code, count in findings]
        self.broken = self.summary.broken[:MOST_NAMED]
        self.more_broken = len(self.summary.broken) - len(self.broken)
        self.more_games = max(self.summary.games + self.summary.skipped - len(self.games), 0)


def _places(contents: Sequence[tuple[str, bytes]]) -> list[archive.Place]:
    return [(name, BytesIO(content)) for name, content in contents]


def _games_in(contents: Sequence[tuple[str, bytes]]) -> Iterator[Game]:
    """Those that are stored, new or not."""
    names, numbers = set(), set()
    for source in archive.logs(_places(contents)):
        if isinstance(source, archive.Source):
            if source.number is None:
                names.add(source.name)
            else:
                numbers.add(source.number)
        if len(names) + len(numbers) >= MOST_NAMED:
            break
    games = Game.objects.filter(Q(number__in=numbers) | Q(number=None, source__in=names))
    yield from games.order_by("number", "pk").prefetch_related(*_SEATS)[:MOST_NAMED]


_SEATS = (
    Prefetch("seats", GameSeat.objects.select_related("player")),
    Prefetch("seat_changes", SeatChange.objects.select_related("player")),
)


# --- games ------------------------------------------------------------------------------------------------------------


@admin.register(Game)
class GameAdmin(Listed):
    list_display = ["game", "month_played", "who", "rounds", "result", "finished", "first_finding", "watch"]
    list_filter = [MonthFilter, FindingFilter, GameScoreFilter, "is_finished", PlayerFilter]
    sortable_by = ["game", "month_played"]  # by what there is an index
    search_fields = ["number"]  # shows the field; get_search_results() searches
    search_help_text = "Number, names of players, or the file of a game without a number"
    fields = ["key", "number", "month", "source", "checksum"]
    change_form_template = "admin/brettspielwelt/game/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return super().get_queryset(request).prefetch_related(*_SEATS)

    def get_search_results(
        self, request: HttpRequest, games: QuerySet[Game], search_term: str
    ) -> tuple[QuerySet[Game], bool]:
        """Games with all of these words: a number, a key, a part of a file's or a player's name."""
        for word in search_term.split():
            games = games.filter(_is(word) | games_of(named(word)))
        return games, False

    @admin.display(ordering="number")
    def game(self, game: Game) -> str:
        return str(game)

    @admin.display(description="month", ordering="month")
    def month_played(self, game: Game) -> str:
        return f"{game.month:%Y-%m}" if game.month else "–"

    @admin.display(description="players")
    def who(self, game: Game) -> str:
        return players_of(game)

    @admin.display
    def rounds(self, game: Game) -> int:
        return game.rounds_count

    @admin.display(description="score")
    def result(self, game: Game) -> str:
        return score(game.score_20, game.score_31)

    @admin.display(boolean=True)
    def finished(self, game: Game) -> bool:
        return game.is_finished

    @admin.display
    def first_finding(self, game: Game) -> str:
        return words(game.finding)

    @admin.display(description="replay")
    def watch(self, game: Game) -> SafeString:
        return format_html('<a href="{}">Replay</a>', reverse("replay-log", args=[game.key]))

    # --- who may what -------------------------------------------------------------------------------------------------

    def has_import_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("brettspielwelt.add_game")

    def has_delete_permission(self, request: HttpRequest, game: Model | None = None) -> bool:
        return request.user.has_perm("brettspielwelt.delete_game")

    def get_deleted_objects(
        self, games: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[Any]]:
        """The games alone: all that is stored of them would be too long a list."""
        keys = [str(game) for game in games]
        rounds = Round.objects.filter(game__in=[game.pk for game in games]).count()
        return keys, {"games": len(keys), "rounds": rounds}, set(), []

    # --- pages --------------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="brettspielwelt_game_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> TemplateResponse:
        if not self.has_import_permission(request):
            raise PermissionDenied
        form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
        imported = Imported(form.cleaned_data["logs"]) if form.is_valid() else None
        return TemplateResponse(
            request,
            "admin/brettspielwelt/game/import.html",
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": "Import logs",
                "media": self.media,
                "form": form,
                "imported": imported,
                "has_view_permission": self.has_view_permission(request),
            },
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        response: Any = super().change_view(request, object_id, form_url, extra_context)
        game = (getattr(response, "context_data", None) or {}).get("original")
        if isinstance(game, Game):
            response.context_data |= game_page(game)
        return response


def _is(word: str) -> Q:
    """Whether a game is called so. Where there is a number nobody looks for the file, nor through all of them."""
    called = Q(key=word) | Q(number=None, source__icontains=word)
    return called | Q(number=int(word)) if word.isdecimal() and len(word) <= 10 else called


def game_page(game: Game) -> dict[str, Any]:
    """What the template of a game shows. The number of queries does not grow with the rounds."""
    calls: dict[int, list[str]] = {}
    bombs: dict[int, list[str]] = {}
    for seat in RoundSeat.objects.filter(Q(call__gt=0) | Q(bombs__gt=0), round__game=game).select_related("player"):
        if seat.call:
            kind = "grand Tichu" if seat.call == 2 else "Tichu"
            end = "made" if seat.place == 1 else "lost"
            calls.setdefault(seat.round_id, []).append(f"{seat.player}: {kind} {end}")
        if seat.bombs:
            times = f" ({seat.bombs})" if seat.bombs > 1 else ""
            bombs.setdefault(seat.round_id, []).append(f"{seat.player}{times}")
    findings: dict[int | None, list[RoundFinding]] = {}
    for finding in game.findings.all():
        finding.words = words(finding.code)  # type: ignore[attr-defined]
        findings.setdefault(finding.round_id, []).append(finding)
    return {
        "result": score(game.score_20, game.score_31),
        "replay_url": reverse("replay-log", args=[game.key]),
        "game_seats": game.seats.all(),
        "seat_changes": game.seat_changes.all(),
        "findings": findings.get(None, []),
        "rounds": [
            {
                "round": round,
                "url": replay_url(game, round.number),
                "logged": score(round.logged_20, round.logged_31),
                "computed": score(round.score_20, round.score_31),
                "calls": calls.get(round.pk, []),
                "bombs": bombs.get(round.pk, []),
                "findings": findings.get(round.pk, []),
            }
            for round in game.rounds.order_by("number")
        ],
    }


# --- rounds and players -----------------------------------------------------------------------------------------------


@admin.register(Round)
class RoundAdmin(Listed):
    list_display = [
        "number", "of_game", "computed", "logged", "calls", "bombs", "double_victory", "usable", "first_finding",
        "watch",
    ]  # fmt: skip
    list_display_links = None
    list_filter = [
        RoundMonthFilter, StateFilter, RoundScoreFilter, CallsFilter, BombsFilter, "double_victory", "is_usable",
    ]  # fmt: skip
    list_select_related = ["game"]
    sortable_by = ()
    search_fields = ["game"]  # shows the field; get_search_results() searches
    search_help_text = "Number of a game, names of players, or the file of a game without a number"
    ordering = ["-pk"]

    def get_search_results(
        self, request: HttpRequest, rounds: QuerySet[Round], search_term: str
    ) -> tuple[QuerySet[Round], bool]:
        """Rounds with all of these words: number or key of the game, a part of its file's or of a player's name."""
        for word in search_term.split():
            rounds = rounds.filter(Q(game__in=Game.objects.filter(_is(word)).order_by()) | rounds_of(named(word)))
        return rounds, False

    @admin.display(description="game")
    def of_game(self, round: Round) -> SafeString:
        url = reverse("admin:brettspielwelt_game_change", args=[round.game_id])
        return format_html('<a href="{}">{}</a>', url, round.game)

    @admin.display
    def computed(self, round: Round) -> str:
        return score(round.score_20, round.score_31)

    @admin.display
    def logged(self, round: Round) -> str:
        return score(round.logged_20, round.logged_31)

    @admin.display(boolean=True)
    def usable(self, round: Round) -> bool:
        return round.is_usable

    @admin.display
    def first_finding(self, round: Round) -> str:
        return words(round.state)

    @admin.display(description="replay")
    def watch(self, round: Round) -> SafeString:
        return format_html('<a href="{}">Replay</a>', replay_url(round.game, round.number))


@admin.register(Player)
class PlayerAdmin(Listed):
    list_display = ["name_shown", "elo_shown", "games", "won", "rounds", "tichus", "grand_tichus"]
    search_fields = ["name"]
    search_help_text = "A part of the name"
    fields = ["name", "elo_shown", "games", "won", "rounds", "tichus", "grand_tichus", "played"]
    ordering = ["-elo", "-pk"]

    @admin.display(description="name", ordering="name")
    def name_shown(self, player: Player) -> str:
        return str(player)

    @admin.display(description="Elo", ordering="elo")
    def elo_shown(self, player: Player) -> str:
        return f"{player.elo:.0f}"

    @admin.display(ordering="games_won")
    def won(self, player: Player) -> str:
        return f"{player.games_won:,}, {player.games_won / player.games:.0%}" if player.games else "–"

    @admin.display(description="Tichu", ordering="tichu")
    def tichus(self, player: Player) -> str:
        return made(player.tichu_made, player.tichu)

    @admin.display(description="grand Tichu", ordering="grand")
    def grand_tichus(self, player: Player) -> str:
        return made(player.grand_made, player.grand)

    @admin.display(description="played")
    def played(self, player: Player) -> SafeString:
        url = reverse("admin:brettspielwelt_game_changelist")
        return format_html('<a href="{}?player={}">all games of {}</a>', url, player.pk, player)


admin.site.register(Figures, StatisticsPage)
