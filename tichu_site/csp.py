"""The Content-Security-Policy header, until Django 6 brings its own under the same setting."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin


class ContentSecurityPolicyMiddleware(MiddlewareMixin):
    """Sends ``SECURE_CSP`` with every response."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in settings.SECURE_CSP.items())
        response.setdefault("Content-Security-Policy", policy)
        return response
