"""Routes of the replay page."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
