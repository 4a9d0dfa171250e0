"""Players, and what people do."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.brettspielwelt.admin.lists import Listed, made
from arena.brettspielwelt.models import Figures, Player
from arena.brettspielwelt.views import StatisticsPage


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
