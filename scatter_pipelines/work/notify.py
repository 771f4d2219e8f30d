"""Telling somebody outside: a command of the user's own, with ids only. Its failure is logged and stops nothing."""

import json
import logging
import subprocess
from collections.abc import Mapping

from scatter_pipelines.settings import Settings

log = logging.getLogger(__name__)

SECONDS = 20


def notify(settings: Settings, event: Mapping[str, str | int]) -> None:
    """Runs SCATTER_NOTIFY_COMMAND in a shell with one JSON object on its standard input."""
    if not settings.notify_command:
        return
    try:
        subprocess.run(
            settings.notify_command, shell=True, input=json.dumps(dict(event)), text=True, timeout=SECONDS,
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        log.error("SCATTER_NOTIFY_COMMAND failed for %s: %s", event, error)
