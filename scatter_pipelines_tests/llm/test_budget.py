"""What may be spent: reserved before a call, settled after, never more than the limit, whoever calls at once."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

from scatter_pipelines.errors import UsageError
from scatter_pipelines.extraction.llm.prices import Prices, context_tokens
from scatter_pipelines.settings import Settings
from scatter_pipelines.store import budgets
from scatter_pipelines.store.budgets import CallUse
from scatter_pipelines.store.database import Database
from scatter_pipelines.work import operate
from scatter_pipelines.work.aggregate import sweep_claims
from scatter_pipelines.work.runtime import Runtime, open_runtime
from scatter_pipelines.work.status import details
from scatter_pipelines_tests.llm.running import Endpoint
from scatter_pipelines_tests.store.rows import at_once, claim, databases, ids_of, make_task, row_of, sql
from scatter_pipelines_tests.work.workers import process, submitted

Texts = Callable[..., Path]
WORKERS, SEED = 10, 5


def opened(runtime: Runtime, n: int, limit: str | None = None, document: str | None = None) -> str:
    task_id = make_task(runtime, n)
    limits = [None if usd is None else Decimal(usd) for usd in (limit, document)]
    runtime.database.run(lambda c: budgets.open_budget(c, task_id, *limits))
    return task_id


def test_ten_workers_never_spend_more_than_the_task_may(runtime: Runtime, settings: Settings) -> None:
    task_id = opened(runtime, WORKERS, limit="1")
    claims = [claim(runtime, result_id) for result_id in ids_of(runtime, task_id)]
    print(f"seed {SEED}")

    with databases(settings, WORKERS) as opened_databases:

        def spend(number: int, database: Database) -> int:
            random, made = Random(SEED + number), 0
            for _ in range(60):
                worst = Decimal(random.randrange(1, 80)) / 1000
                call_id = database.run(
                    lambda c, w=worst: budgets.reserve(c, claims[number], model="m", worst=w, characters=1), "worker"
                )
                if call_id is None:
                    continue
                made += 1
                cost = worst * random.randrange(0, 101) / 100
                ending = random.choice(("settled", "settled", "failed", "lost"))
                use = CallUse(1, 1, Decimal(0) if ending == "failed" else cost)
                database.run(lambda c, i=call_id, e=ending, u=use: budgets.settle(c, i, e, u), "worker")
                sums = database.run(lambda c: budgets.read(c, task_id))
                assert sums is not None and sums.spent_usd + sums.reserved_usd <= 1
            return made

        made = at_once([lambda n=n, d=d: spend(n, d) for n, d in enumerate(opened_databases)])
    budget = runtime.database.run(lambda c: budgets.read(c, task_id))
    assert budget is not None and budget.reserved_usd == 0 and Decimal("0.9") < budget.spent_usd <= 1
    assert sum(made) > WORKERS and runtime.database.run(budgets.differences) == []


def test_a_document_has_a_limit_of_its_own(runtime: Runtime) -> None:
    task_id = opened(runtime, 2, document="0.10")
    first, second = (claim(runtime, result_id) for result_id in ids_of(runtime, task_id))

    def reserve(who: object, worst: str) -> int | None:
        return runtime.database.run(
            lambda c: budgets.reserve(c, who, model="m", worst=Decimal(worst), characters=1), "worker"  # type: ignore[arg-type]
        )  # fmt: skip

    call_id = reserve(first, "0.08")
    assert call_id is not None and reserve(first, "0.03") is None
    assert reserve(second, "0.10") is not None
    runtime.database.run(lambda c: budgets.settle(c, call_id, "settled", CallUse(1, 1, Decimal("0.05"))), "worker")
    assert reserve(first, "0.05") is not None and reserve(first, "0.01") is None


def test_a_worker_that_lost_its_claim_reserves_nothing(runtime: Runtime) -> None:
    task_id = opened(runtime, 1)
    (result_id,) = ids_of(runtime, task_id)
    held = claim(runtime, result_id)

    def reserve() -> int | None:
        return runtime.database.run(
            lambda c: budgets.reserve(c, held, model="m", worst=Decimal("0.1"), characters=1), "worker"
        )

    assert reserve() is not None
    sql(runtime, "UPDATE scatter.extraction_result SET claim_token = gen_random_uuid() WHERE id = :id", id=result_id)
    assert reserve() is None
    assert runtime.database.run(budgets.differences) == []


def test_calls_of_a_lost_worker_count_in_full_until_better_is_known(runtime: Runtime) -> None:
    task_id = opened(runtime, 1, limit="1")
    (result_id,) = ids_of(runtime, task_id)
    held = claim(runtime, result_id)
    call_id = runtime.database.run(
        lambda c: budgets.reserve(c, held, model="m", worst=Decimal("0.5"), characters=1), "worker"
    )
    assert call_id is not None
    sweep_claims(runtime)
    assert runtime.database.run(lambda c: budgets.read(c, task_id)).reserved_usd == Decimal("0.5")  # type: ignore[union-attr]
    sql(runtime, "UPDATE scatter.extraction_result SET status = 'pending' WHERE id = :id", id=result_id)
    sweep_claims(runtime)
    budget = runtime.database.run(lambda c: budgets.read(c, task_id))
    assert budget is not None and (budget.reserved_usd, budget.spent_usd) == (0, Decimal("0.5"))
    use = CallUse(10, 1, Decimal("0.2"))
    for _ in range(2):
        runtime.database.run(lambda c: budgets.settle(c, call_id, "settled", use), "worker")
    budget = runtime.database.run(lambda c: budgets.read(c, task_id))
    assert budget is not None and (budget.reserved_usd, budget.spent_usd) == (0, Decimal("0.2"))
    assert runtime.database.run(budgets.differences) == []


def test_sums_that_are_not_those_of_the_ledger_are_found(runtime: Runtime) -> None:
    task_id = opened(runtime, 1, limit="1")
    sql(runtime, "UPDATE scatter.task_budget SET spent_usd = 0.1")
    assert runtime.database.run(budgets.differences) == [task_id]


def test_a_task_over_its_budget_ends_documents_and_keeps_what_is_done(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    folder = texts(6)
    task_id = submitted(llm_runtime, folder, template=template, engine="llm", task_usd=0.0045)
    ids = ids_of(llm_runtime, task_id)
    outcomes = process(llm_runtime, task_id, *ids)
    kinds = [(outcome.kind, outcome.code) for outcome in outcomes]
    done = kinds.count(("completed", None))
    assert 0 < done < 6 and kinds.count(("error", "budget_exceeded")) == 6 - done
    known = details(llm_runtime, task_id)
    assert known["budget"]["spent_usd"] <= 0.0045 and known["budget"]["reserved_usd"] == 0
    assert known["usage"]["cost_usd"] == pytest.approx(known["budget"]["spent_usd"])
    operate.change_budget(llm_runtime, task_id, Decimal(1))
    sql(
        llm_runtime, "UPDATE scatter.extraction_result SET status = 'pending', error_code = NULL WHERE status = 'error'"
    )
    assert {outcome.kind for outcome in process(llm_runtime, task_id, *ids)} == {"completed"}
    assert len(endpoint.calls()) == 6


def test_money_set_aside_by_others_is_waited_for(
    llm_settings: Settings, llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    task_id = submitted(llm_runtime, texts(2), template=template, engine="llm", task_usd=0.0045)
    first, second = ids_of(llm_runtime, task_id)
    held = claim(llm_runtime, first)
    other = llm_runtime.database.run(
        lambda c: budgets.reserve(c, held, model="m", worst=Decimal("0.004"), characters=1), "worker"
    )
    assert other is not None

    def work() -> str:
        return process(llm_runtime, task_id, second)[0].kind

    def free() -> str:
        use = CallUse(1, 1, Decimal("0.0001"))
        llm_runtime.database.run(lambda c: budgets.settle(c, other, "settled", use), "worker")
        return "freed"

    assert at_once([work, free]) == ["completed", "freed"]


def test_an_endpoint_that_does_not_say_what_it_used_is_counted_in_full(
    llm_runtime: Runtime, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    endpoint.does({"do": {"no_usage": True}})
    task_id = submitted(llm_runtime, texts(1), template=template, engine="llm", task_usd=1.0)
    (result_id,) = ids_of(llm_runtime, task_id)
    process(llm_runtime, task_id, result_id)
    usage = row_of(llm_runtime, result_id).usage
    assert usage["output_tokens"] == 500 and usage["input_tokens"] > 1000


def test_without_a_price_there_is_no_budget_but_tokens(
    llm_settings: Settings, endpoint: Endpoint, template: str, texts: Texts
) -> None:
    folder = texts(1)
    with open_runtime(llm_settings.model_copy(update={"llm_input_usd": None})) as runtime:
        with pytest.raises(UsageError) as caught:
            submitted(runtime, folder, template=template, engine="llm", task_usd=1.0)
        assert caught.value.code == "price_unknown"
        task_id = submitted(runtime, folder, template=template, engine="llm")
        (result_id,) = ids_of(runtime, task_id)
        process(runtime, task_id, result_id)
        usage = row_of(runtime, result_id).usage
        assert usage["cost_usd"] is None and usage["input_tokens"] > 0
        assert details(runtime, task_id)["usage"]["cost_usd"] is None


def test_prices_come_from_the_library_for_a_known_endpoint() -> None:
    known = Prices("gpt-4o-mini", "https://api.openai.com/v1")
    cost = known.cost(1_000_000, 1_000_000)
    assert known.known and cost is not None and 0 < cost < 10
    assert context_tokens("gpt-4o-mini", "https://api.openai.com/v1") >= 100_000
    assert not Prices("gpt-4o-mini", "http://127.0.0.1:1/v1").known
    assert Prices("mine", "http://127.0.0.1:1/v1", 1.0, 2.0).cost(1_000_000, 500_000) == 2
