"""The assistant's own version, source, settings, health and log."""

from pydantic import SecretStr

from app.config import Settings
from app.skills.kit import Kit
from app.skills.tools.selfcode import home, selfcode_tools
from app.skills.tools.selfcode.runtime import Runtime
from app.skills.tools.selfcode.source import SourceReader


def register(kit: Kit) -> None:
    process, shown = kit.process, _shown(kit.settings)
    runtime = Runtime(process.root, lambda: shown, process.health, process.logs, secrets=kit.settings.secrets)
    selfcode_tools.register(kit.tools, SourceReader(process.root), runtime)
    kit.home.append(home.settings_part(kit.settings, runtime))
    kit.home.append(home.log_part(runtime))


def _shown(settings: Settings) -> dict[str, str]:
    return {
        name: str(value)
        for name, value in settings.model_dump().items()
        if not isinstance(getattr(settings, name), SecretStr) and "number" not in name
    }
