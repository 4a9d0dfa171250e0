"""Routes of the arena."""

from django.urls import path

from arena import views

urlpatterns = [
    path("run/<int:pk>/<int:pair>/<int:half>/", views.run, name="replay-run"),
    path("log/<str:key>/", views.log, name="replay-log"),
]
