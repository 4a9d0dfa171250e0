"""Routes of the page."""

from django.urls import path

from lobby import views

urlpatterns = [
    path("", views.index, name="index"),
    path("tables.json", views.tables, name="tables"),
]
