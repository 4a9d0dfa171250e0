"""The language of a page: the browser's; below the admin's address English, which is all that the admin speaks."""

from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.urls import reverse
from django.utils import translation


class LanguageMiddleware(LocaleMiddleware):
    """Django's own pages in the admin would be translated, those of the rooms are not: so all are English."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if request.path.startswith(reverse("admin:index")):
            translation.activate("en")
            request.LANGUAGE_CODE = "en"
