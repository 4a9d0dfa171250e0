from typing import Any

from django.db import migrations, models


def note_months(apps: Any, schema_editor: Any) -> None:
    """Nothing is counted yet of what is stored."""
    months = apps.get_model('brettspielwelt', 'Game').objects.order_by().values_list('month', flat=True).distinct()
    figures = apps.get_model('brettspielwelt', 'Figures')
    figures.objects.bulk_create(figures(key=f'{month:%Y-%m}' if month else '', version='first') for month in months)


class Migration(migrations.Migration):

    dependencies = [
        ('brettspielwelt', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Figures',
            fields=[
                ('key', models.CharField(max_length=7, primary_key=True, serialize=False)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('counted', models.CharField(blank=True, max_length=80)),
                ('data', models.TextField(blank=True)),
                ('updated', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name_plural': 'statistics',
            },
        ),
        migrations.RunPython(note_months, migrations.RunPython.noop),
    ]
