"""Writes the example folder: `python -m scatter_pipelines_tests.generator OUT --seed 7`."""

import argparse
from pathlib import Path

from scatter_pipelines_tests.generator.examples import EXAMPLES_SEED, write_answers, write_examples


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scatter_pipelines_tests.generator", description=__doc__)
    parser.add_argument("out", type=Path, help="folder for the documents; made where it is missing")
    parser.add_argument("--seed", type=int, default=EXAMPLES_SEED, help="default: %(default)s")
    parser.add_argument("--answers", type=Path, help="also write the answers to this file, one JSON object a line")
    options = parser.parse_args()
    examples = write_examples(options.out, options.seed)
    if options.answers:
        write_answers(options.answers, examples)
    print(f"{len(examples)} documents, {sum(len(example.content) for example in examples):,} bytes in {options.out}")


if __name__ == "__main__":
    main()
