"""Makes docs/errors.md from the table in the code: `make docs`."""

from scatter_pipelines.errors import CODES

KINDS = {
    "permanent": "the document's own fault: its row ends in `error`, nothing is retried, its step stays green",
    "transient": "an upstream is at fault: tried again after 10, 20, 40 s, then the row is in `error` and its step red",
    "limit": "the document took too much time or memory: tried once more, then the row ends in `error`",
    "lost": "the worker disappeared: given to another, three times at most",
    "operator": "somebody asked for it",
    "usage": "a command, config or setting was wrong: nothing was written",
}


def page() -> str:
    """The page as Markdown."""
    lines = ["# Error codes", "", "Made from `scatter_pipelines/errors.py` by `make docs`.", ""]
    for kind, meaning in KINDS.items():
        lines += [
            f"## {kind}",
            "",
            f"{meaning[0].upper()}{meaning[1:]}.",
            "",
            "| code | stage | meaning | what to do |",
        ]
        lines.append("|---|---|---|---|")
        rows = (entry for entry in CODES.values() if entry.kind == kind)
        lines += [f"| `{row.code}` | {row.stage} | {row.meaning} | {row.advice} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
