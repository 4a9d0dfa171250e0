"""Routes of the arena."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
