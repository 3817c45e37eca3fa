"""What each family of models needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

ToolProtocol = Literal["native", "constrained"]

_SMALL_BELOW_B: Final = 4.0


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """`can_think`: the model thinks unless told not to.

    `tool_protocol` "native": calls tools through the provider's own field; "constrained": needs the
    signatures beside the message and an answer bound to a schema.
    `leaves_meta_tool_alone`: offered `request_more_tools` in small talk, it does not call it.
    """

    family: str
    can_think: bool = False
    tool_protocol: ToolProtocol = "constrained"
    leaves_meta_tool_alone: bool = False


_UNKNOWN: Final = ModelProfile("unknown")

_FAMILIES: Final[Mapping[str, ModelProfile]] = MappingProxyType(
    {
        profile.family: profile
        for profile in (
            ModelProfile("qwen3", can_think=True, tool_protocol="native", leaves_meta_tool_alone=True),
            ModelProfile("qwen3-coder", tool_protocol="native", leaves_meta_tool_alone=True),
            ModelProfile("qwen2.5", tool_protocol="native"),
            # Writes its calls as fenced JSON in the text, whatever its size.
            ModelProfile("qwen2.5-coder"),
            ModelProfile("qwq", can_think=True),
            ModelProfile("llama3"),
            ModelProfile("llama3.1", tool_protocol="native"),
            # Its text models have 1 B and 3 B parameters, which the plain name does not show.
            ModelProfile("llama3.2"),
            ModelProfile("llama3.3", tool_protocol="native"),
            ModelProfile("mistral", tool_protocol="native"),
            ModelProfile("magistral", can_think=True, tool_protocol="native"),
            ModelProfile("gemma"),
            ModelProfile("gpt-oss", can_think=True, tool_protocol="native", leaves_meta_tool_alone=True),
            ModelProfile("deepseek-r1", can_think=True),
            ModelProfile("phi"),
        )
    }
)


def profile_for(model_name: str) -> ModelProfile:
    """Return the profile of the longest family name that the model's name begins with.

    Registry and owner before the last `/` are ignored, as is case. A model of an unknown family gets the
    careful profile. So does one whose name tells fewer than 4 B parameters, except for `can_think`: small
    models were measured at 1.5 B to need the constrained protocol; where it stops is a judgement.
    """
    name = model_name.rsplit("/", 1)[-1].lower()
    known = [family for family in _FAMILIES if name.startswith(family)]
    profile = _FAMILIES[max(known, key=len)] if known else _UNKNOWN
    size = re.search(r"[:\-_](\d+(?:\.\d+)?)b(?![a-z0-9])", name)
    if size and float(size[1]) < _SMALL_BELOW_B:
        return replace(profile, tool_protocol="constrained", leaves_meta_tool_alone=False)
    return profile
