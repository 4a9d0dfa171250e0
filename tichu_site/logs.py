"""What may stand in a log: never a session id, which is a secret (docs/protocol.md 1)."""

import logging
import re

SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


class SecretsFilter(logging.Filter):
    """Blackens everything that looks like a session id."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        redacted = SESSION_ID.sub("[session]", message)
        if redacted != message:
            record.msg, record.args = redacted, None
        return True
