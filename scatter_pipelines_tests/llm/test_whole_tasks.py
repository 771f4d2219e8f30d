"""Whole tasks by `scatter run`, with real processes: what a crash repeats, how many calls fly, what it costs."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from scatter_pipelines.work.runtime import Runtime
from scatter_pipelines.work.status import details
from scatter_pipelines_tests.cli.shell import COMMAND, Shell
from scatter_pipelines_tests.cli.zygote import Zygote
from scatter_pipelines_tests.conftest import PROJECT
from scatter_pipelines_tests.llm.running import Endpoint
from scatter_pipelines_tests.store.rows import sql, until

Environment = Callable[..., dict[str, str]]
DOCUMENTS = 40

pytestmark = pytest.mark.xdist_group("llm_whole_tasks")


def kill_all(shell: "subprocess.Popen[str]") -> None:
    """The command with all that it has started, at once."""
    processes = [psutil.Process(shell.pid), *psutil.Process(shell.pid).children(recursive=True)]
    for process in processes:
        process.suspend()
    for process in processes:
        process.kill()
    shell.wait()


def test_a_crash_at_half_repeats_no_more_than_the_calls_in_flight(
    llm_environment: Environment,
    zygote: Zygote,
    runtime: Runtime,
    endpoint: Endpoint,
    template: str,
    texts: Callable[..., Path],
) -> None:
    slots = 5
    environment = llm_environment(llm_slots=slots, workers=2)
    endpoint.takes(0.3)
    arguments = ["run", str(texts(DOCUMENTS)), "--template", template, "--engine", "llm", "--json"]
    with subprocess.Popen(
        [*COMMAND, *arguments], env=environment, cwd=PROJECT, stdout=subprocess.PIPE, text=True
    ) as shell:
        until(lambda: len(endpoint.calls()) >= DOCUMENTS / 2, "half of the calls", 60)
        kill_all(shell)
    in_flight = endpoint.in_flight()
    ((unsettled,),) = sql(runtime, "SELECT count(*) FROM scatter.llm_call WHERE state = 'reserved'")
    assert 0 < in_flight <= unsettled <= slots and len(endpoint.calls()) < DOCUMENTS
    printed = Shell(environment, zygote).json(*arguments[:-1])
    assert printed["counts"]["completed"] == DOCUMENTS
    calls = len(endpoint.calls())
    assert in_flight <= calls - DOCUMENTS == endpoint.repeated() <= unsettled
    assert endpoint.most_in_flight() == slots
    known = details(runtime, printed["task_id"])
    assert known["usage"]["calls"] == DOCUMENTS + unsettled and known["usage"]["calls_lost"] == unsettled
    assert known["budget"]["reserved_usd"] == 0


def test_a_task_is_estimated_held_to_its_budget_and_not_paid_twice(
    llm_environment: Environment, zygote: Zygote, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    shell = Shell(llm_environment(llm_slots=3, workers=1), zygote)
    asking = ["run", str(texts(4)), "--template", template, "--engine", "llm"]
    estimate = shell.good(*asking, "--estimate")
    assert "Estimate: 4 calls" in estimate and "Nobody was asked." in estimate and endpoint.calls() == []
    held = shell.json(*asking, "--task-usd", "0.0001", status=1)
    assert {error["code"] for error in held["errors"]} == {"budget_exceeded"}
    assert "the task up to $1.00" in shell.good("budget", "last", "--task-usd", "1")
    shell.good("retry", "last", "--code", "budget_exceeded")
    done = shell.good("run", "--task", "last")
    assert "4 calls to stand-in" in done and "Budget $1.00 for the task" in done
    assert shell.json("run", *asking[1:], "--again")["counts"]["completed"] == 4
    assert len(endpoint.calls()) == 4
    assert shell.json("cache", "size")["kept"]["parsed_document"]["entries"] == 4
    assert shell.json("cache", "prune", "--bytes", "0")["dropped"]["llm_answer"]["entries"] > 4
    assert shell.refused("budget", "last", "--task-usd", "-1")["code"] == "config_invalid"


def test_a_closed_endpoint_stops_the_command_and_says_what_to_do(
    llm_environment: Environment, zygote: Zygote, endpoint: Endpoint, template: str, texts: Callable[..., Path]
) -> None:
    endpoint.does({"do": {"status": 401, "message": "Incorrect API key provided", "code": "invalid_api_key"}})
    shell = Shell(llm_environment(llm_slots=2, workers=1), zygote)
    done = shell("run", str(texts(6)), "--template", template, "--engine", "llm")
    assert done.returncode == 2 and len(endpoint.calls()) <= 3
    assert "401 invalid_api_key" in done.stderr and "scatter resume" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "code"),
    [
        (["--engine", "llm"], {"SCATTER_LLM_MODEL": ""}, "llm_not_configured"),
        (["--engine", "llm", "--task-usd", "1"], {"SCATTER_LLM_INPUT_USD": ""}, "price_unknown"),
        (["--engine", "llm", "--task-usd", "0"], {}, "config_invalid"),
        (["--engine", "llm"], {"SCATTER_LLM_CONTEXT_TOKENS": "600"}, "settings_invalid"),
        (["--engine", "llm"], {"SCATTER_LLM_BASE_URL": "ftp://x"}, "settings_invalid"),
        (["--engine", "rules", "--template", "paper", "--estimate"], {}, "config_invalid"),
        (["--engine", "rules"], {}, "template_invalid"),
        (["--engine", "gpt"], {}, "config_invalid"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_written(
    llm_environment: Environment, zygote: Zygote, template: str, texts: Callable[..., Path],
    arguments: list[str], variables: dict[str, str], code: str,
) -> None:  # fmt: skip
    shell = Shell(llm_environment(), zygote)
    given = ["submit", str(texts(1)), *([] if "--template" in arguments else ["--template", template]), *arguments]
    assert shell.refused(*given, **variables)["code"] == code
    assert shell.json("tasks")["tasks"] == []


def test_the_doctor_looks_at_the_endpoint(llm_environment: Environment, zygote: Zygote, endpoint: Endpoint) -> None:
    def findings(**changed: object) -> list[str]:
        done = Shell(llm_environment(**changed), zygote)("doctor", "--json", SCATTER_LLM_API_KEY="sk-secret")
        assert "sk-secret" not in done.stdout + done.stderr
        return [
            f"{item['level']}: {item['message']}"
            for item in json.loads(done.stdout)["findings"]
            if item["what"] == "llm"
        ]

    assert findings() == ["ok: stand-in, 5 calls at once"]
    (unlisted,) = findings(llm_model="other")
    assert unlisted.startswith("warning") and "stand-in" in unlisted
    endpoint.close()
    (away,) = findings()
    assert away.startswith("error") and "No answer" in away
