"""Routes of the site."""

from django.contrib import admin
from django.urls import include, path

from tichu_site import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("catalog/<str:language>.json", views.catalog, name="catalog"),
    path("replay/", include("games.urls")),
    path("replay/", include("arena.urls")),
    path("admin/", admin.site.urls),
    path("", include("lobby.urls")),
]
