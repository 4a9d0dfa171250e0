"""The secret key of an installation that was given none."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def stored_secret(path: Path) -> str:
    """The secret in this file; the first call makes it, readable for its owner only."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode=0o600)
    except FileExistsError:
        return path.read_text()
    secret = get_random_secret_key()
    with os.fdopen(descriptor, "w") as file:
        file.write(secret)
    return secret
