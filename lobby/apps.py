"""The app of people, tables and sockets."""

from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"
