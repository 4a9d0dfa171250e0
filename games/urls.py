"""Routes of the replay page."""

from django.urls import path

from games import views

urlpatterns = [
    path("match/<int:pk>/", views.match, name="replay-match"),
]
