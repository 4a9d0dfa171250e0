#!/usr/bin/env python
"""Django's command line; ``manage.py play`` starts everything."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tichu_site.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except (ImportError, ValueError) as error:  # what compiled modules raise that do not fit together
        from tichu_site.management.commands.prepare import kernel_remark

        error.add_note(kernel_remark())
        raise
