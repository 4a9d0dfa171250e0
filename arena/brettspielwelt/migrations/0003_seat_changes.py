import django.db.models.deletion
from django.db import migrations, models

# Of games that are stored already; only those where somebody was found to have taken over a seat.
FILL = """
INSERT INTO brettspielwelt_seatchange (game_id, seat, since, player_id)
SELECT game_id, seat, number, player_id FROM (
    SELECT
        game_id, seat, number, player_id,
        LAG(player_id) OVER (PARTITION BY game_id, seat ORDER BY number) AS before
    FROM brettspielwelt_round JOIN brettspielwelt_roundseat ON round_id = brettspielwelt_round.id
    WHERE game_id IN (SELECT game_id FROM brettspielwelt_roundfinding WHERE code = 'player_changed')
) AS seats
WHERE player_id <> before
"""


class Migration(migrations.Migration):

    dependencies = [
        ('brettspielwelt', '0002_figures'),
    ]

    operations = [
        migrations.CreateModel(
            name='SeatChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('since', models.PositiveSmallIntegerField()),
                ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seat_changes', to='brettspielwelt.game')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seat_changes', to='brettspielwelt.player')),
            ],
            options={
                'ordering': ['game_id', 'since', 'seat'],
                'constraints': [models.UniqueConstraint(fields=('game', 'since', 'seat'), name='one_player_takes_a_seat_over')],
            },
        ),
        migrations.RemoveIndex(model_name='game', name='game_month'),
        migrations.RemoveIndex(model_name='game', name='game_finding'),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['month', '-number', '-id'], name='game_month'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['finding', '-number', '-id'], name='game_finding'),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
