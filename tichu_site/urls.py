"""Routes of the site."""

from django.contrib import admin
from django.urls import include, path

from tichu_site import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("catalog/<str:language>.json", views.catalog, name="catalog"),
    path("admin/", admin.site.urls),
    path("", include("lobby.urls")),
]
