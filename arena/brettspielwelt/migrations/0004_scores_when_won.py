from django.db import migrations

# Of games that are stored already: the sums of all rounds, by the rules, give way to the points that decided.
FILL = """
WITH counted AS (
    SELECT
        game_id, number,
        SUM(COALESCE(logged_20, score_20, 0)) OVER rounds AS team_20,
        SUM(COALESCE(logged_31, score_31, 0)) OVER rounds AS team_31
    FROM brettspielwelt_round WINDOW rounds AS (PARTITION BY game_id ORDER BY number)
), ranked AS (
    SELECT game_id, team_20, team_31, ROW_NUMBER() OVER (PARTITION BY game_id ORDER BY
        CASE WHEN (team_20 >= 1000 OR team_31 >= 1000) AND team_20 <> team_31 THEN number ELSE 100000 - number END
    ) AS place FROM counted
)
UPDATE brettspielwelt_game SET score_20 = team_20, score_31 = team_31
FROM ranked WHERE ranked.game_id = brettspielwelt_game.id AND place = 1
    AND (score_20 <> team_20 OR score_31 <> team_31)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('brettspielwelt', '0003_seat_changes'),
    ]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
