"""wengert completion: the completion of commands and options in a shell."""

from __future__ import annotations

import argparse
from typing import Any

from wengert.cli import COMMANDS, parser_for

_BASH = """_wengert() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{commands}"; else
    case $command in
{cases}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$word") $(compgen -f -- "$word") )
}}
complete -o filenames -F _wengert wengert
"""


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "completion",
        help=purpose,
        description="Print what lets a shell complete the commands of wengert and their options.",
        epilog="example: wengert completion bash >> ~/.bashrc",
    )
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    print(_fish() if options.shell == "fish" else _bash(options.shell == "zsh"), end="")
    return 0


def _options() -> dict[str, list[str]]:
    """The long options of each command."""
    _, commands = parser_for(*COMMANDS)
    return {
        name: sorted(o for o in command._option_string_actions if o.startswith("--"))
        for name, command in commands.items()
    }


def _bash(in_zsh: bool) -> str:
    cases = "\n".join(f'      {n}) words="{" ".join(words)}";;' for n, words in _options().items())
    head = "autoload -U +X bashcompinit && bashcompinit\n" if in_zsh else ""
    return head + _BASH.format(commands=" ".join(COMMANDS), cases=cases)


def _fish() -> str:
    lines = [
        f"complete -c wengert -n __fish_use_subcommand -a {n} -d '{d}'" for n, d in COMMANDS.items()
    ]
    for name, words in _options().items():
        for word in words:
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c wengert -n {seen} -l {word.removeprefix('--')}")
    return "\n".join([*lines, ""])
