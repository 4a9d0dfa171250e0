"""Teams as text: which agents, with which options, and how they are found and made.

    rule                            both partners
    random:calls=false,limit=0.5    an agent with options; ``limit`` is the arena's: seconds that a decision may take
    rule+my.module.MyAgent:depth=3  unlike partners

An agent's name is that of a built-in one, that of an entry point of the group ``tichu.agents``, or the dotted path of a
class, also one in the current directory. :func:`parse_team` only reads the text; the agent is looked for when
it is needed, so that old runs can be shown after their agents have gone.
"""

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.util import resolve_name
from inspect import Parameter, isabstract, signature
from math import isfinite
from pathlib import Path
from random import Random
from typing import TypeAlias

from games.tichu.agents import AGENTS, NETWORKS
from games.tichu.agents.agent import TichuAgent

Value: TypeAlias = int | float | bool | str

BUILT_IN = {key.removesuffix("Agent").lower(): agent for key, agent in (AGENTS | NETWORKS).items()}
READY = [name for name, agent in BUILT_IN.items() if agent in AGENTS.values()]  # those that need no option
ENTRY_POINTS = "tichu.agents"
DEFAULT_LIMIT = 30.0  # seconds
A_DAY = 86_400.0


class UnknownAgent(ValueError):  # noqa: N818 - it says what is wrong
    """The text of a team is none, or an agent cannot be found or made; says why, and what there is."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent as the text of a team names it.

    :ivar options: for the agent's constructor, by name.
    :ivar limit: seconds that a decision may take.
    """

    name: str
    options: tuple[tuple[str, Value], ...] = ()
    limit: float = DEFAULT_LIMIT

    @property
    def text(self) -> str:
        """The same for the same agent, however it was written.

        >>> parse_team("my.Agent: width=2.50, limit=5, deep=true").agents[0].text
        'my.Agent:deep=true,limit=5,width=2.5'
        """
        return f"{self.name}:{self.options_text}" if self.options_text else self.name

    @property
    def options_text(self) -> str:
        """The options by name; the limit only if it is not the usual one."""
        written = [f"{key}={_written(value)}" for key, value in self.options]
        if self.limit != DEFAULT_LIMIT:
            written.append(f"limit={_written(float(self.limit)).removesuffix('.0')}")
        return ",".join(sorted(written))

    @property
    def agent_class(self) -> type[TichuAgent]:
        """
        :raises UnknownAgent: if there is none, or it is none of Tichu.
        """
        found = _find(self.name)
        if not isinstance(found, type) or not issubclass(found, TichuAgent):
            raise UnknownAgent(f"{self.name} is no TichuAgent (games.tichu.agents.agent)")
        if isabstract(found):
            raise UnknownAgent(f"{self.name} lacks {', '.join(sorted(found.__abstractmethods__))}")
        return found

    def create(self, rng: Random) -> TichuAgent:
        """
        :raises UnknownAgent: if there is no such agent, it does not take these options, or it cannot be made.
        """
        agent_class = self.agent_class
        taken = _options_of(agent_class)
        for key, _ in self.options:
            if taken is not None and key not in taken:
                raise UnknownAgent(f"{self.name} has no option {key}; it takes {', '.join([*taken, 'limit'])}")
        try:
            return agent_class(self.text, rng, **dict(self.options))
        except Exception as error:
            raise UnknownAgent(f"{self.text} cannot be made: {_reason(error)}") from error

    def checksum(self) -> str:
        """SHA-256, in hex, over what decides how it plays: its code and the files that its options name, also by
        default.

        Its code is that of its class and of its base classes, and what these import from their own packages. The rules
        are not part of it.

        :raises UnknownAgent: if there is no such agent.
        """
        files: set[Path] = set()
        agent_class = self.agent_class
        for base in agent_class.__mro__:
            if issubclass(base, TichuAgent):
                module = sys.modules[base.__module__]
                _follow(Path(str(module.__file__)), module.__package__ or "", files)
        options = {key: one.default for key, one in signature(agent_class).parameters.items()} | dict(self.options)
        files.update(Path(value) for value in options.values() if isinstance(value, str) and Path(value).is_file())
        # Sorted by contents: where the files lie makes no difference.
        return sha256(b"".join(sorted(sha256(file.read_bytes()).digest() for file in files))).hexdigest()


@dataclass(frozen=True)
class Team:
    """Two partners: the first has slot 0 or 1, the second slot 2 or 3 (:mod:`arena.tally`)."""

    agents: tuple[AgentSpec, AgentSpec]

    @property
    def text(self) -> str:
        """
        >>> parse_team("rule + rule").text
        'rule'
        """
        one, other = self.agents
        return one.text if one == other else f"{one.text}+{other.text}"


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_team(text: str) -> Team:
    """Reads a team; whether its agents exist shows :meth:`AgentSpec.create`.

    >>> [agent.name for agent in parse_team("rule+random:calls=false").agents]
    ['rule', 'random']

    :raises UnknownAgent: if the text is no team.
    """
    agents = [_parse_agent(part.strip()) for part in text.split("+")]
    if len(agents) > 2:
        raise UnknownAgent(f"a team has one or two agents, {text!r} names {len(agents)}")
    return Team((agents[0], agents[-1]))


def _parse_agent(text: str) -> AgentSpec:
    name, colon, rest = text.partition(":")
    name = name.strip()
    if not name:
        raise UnknownAgent(f"an agent is missing; {_what_there_is()}")
    options: dict[str, Value] = {}
    for option in rest.split(",") if colon else ():
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals or not key.isidentifier():
            raise UnknownAgent(f"an option is key=value, not {option!r}, in {text!r}")
        if key in options:
            raise UnknownAgent(f"the option {key} is there twice in {text!r}")
        options[key] = _value(value)
    limit = options.pop("limit", DEFAULT_LIMIT)
    if isinstance(limit, str | bool) or not 0 < limit <= A_DAY:
        raise UnknownAgent(f"limit is seconds, more than 0 and at most a day, in {text!r}")
    return AgentSpec(name, tuple(sorted(options.items())), limit)


def _value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if isfinite(number) else text


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("e+", "e") if isinstance(value, float) else str(value)  # a plus would part two agents


# --- finding ----------------------------------------------------------------------------------------------------------


def _find(name: str) -> object:
    if name in BUILT_IN:
        return BUILT_IN[name]
    try:
        for entry in entry_points(group=ENTRY_POINTS, name=name):
            return entry.load()
        module, dot, attribute = name.rpartition(".")
        if not dot:
            raise UnknownAgent(f"there is no agent {name}; {_what_there_is()}")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)  # last: it hides nothing
        return getattr(importlib.import_module(module), attribute)
    except UnknownAgent:
        raise
    except Exception as error:  # whatever happens in somebody's module
        raise UnknownAgent(f"the agent {name} cannot be imported: {_reason(error)}") from error


def _what_there_is() -> str:
    names = sorted({*BUILT_IN, *entry_points(group=ENTRY_POINTS).names})
    return f"there are {', '.join(names)}, and classes by their dotted path (my.module.MyAgent)"


def _options_of(agent_class: type[TichuAgent]) -> list[str] | None:
    """What the constructor takes besides name and rng; None if it takes anything."""
    parameters = signature(agent_class).parameters.values()
    if any(parameter.kind == Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [one.name for one in parameters if one.kind in named and one.name not in ("name", "rng")]


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


# --- its code ---------------------------------------------------------------------------------------------------------


def _follow(file: Path, package: str, found: set[Path]) -> None:
    """Adds the source of a module, and of the modules of its package that it imports, directly or not."""
    directory = file.parent
    todo = [file]
    while todo:
        file = todo.pop()
        source = file.with_name(file.name.partition(".")[0] + ".py")  # also of a compiled module
        file = source if source.is_file() else file
        if file not in found:
            found.add(file)
            if file == source:
                todo.extend(_imports(file, directory, package))


def _imports(file: Path, directory: Path, package: str) -> Iterator[Path]:
    """The files of a package, which lies in a directory, that one of its modules imports from."""
    here = ".".join([package, *file.parent.relative_to(directory).parts]).strip(".")
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), here)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]  # a module may be among them
    for name in names:
        if f"{name}.".startswith(f"{package}." if package else ""):
            path = directory.joinpath(*name[len(package) :].split("."))
            yield from filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))
