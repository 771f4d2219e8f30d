"""Extraction by an LLM: what is asked in which call, and how answers become values with evidence.

Nothing an answer says is believed: its quotes are looked for in the pages, its values must follow from them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scatter_pipelines.errors import DocumentError
from scatter_pipelines.extraction.llm import prompt
from scatter_pipelines.extraction.llm.passages import Passage, choose
from scatter_pipelines.extraction.llm.protocol import Asker, ChatRequest, ContextTooLong, Reply
from scatter_pipelines.extraction.llm.schema import (
    Answer,
    AnswerError,
    Candidate,
    from_json,
    read_answer,
    schema_of,
    to_json,
)
from scatter_pipelines.extraction.llm.verify import Verifier
from scatter_pipelines.model.document import Document
from scatter_pipelines.model.evidence import Fields
from scatter_pipelines.model.template import Template, TemplateField

VERSION = "1"
CHARACTERS_A_TOKEN = 3.0
"""Of a prompt, fewer than any English text has, so that a window is rarely too full; measured: 3.5 to 4.5."""
TOKENS_A_FIELD = 100
"""Room for one field in an answer: a value, and a sentence for a quote."""
SHORTENINGS = 2
SMALLEST_ROOM = 1_000
ROOM_FOR_REPAIR = 0.9


@dataclass(frozen=True, slots=True)
class Model:
    """The model and how it is asked; with another one the same document may give other answers.

    `context_tokens` is what it takes in and gives out together. `calls` is the most calls for a group of fields.
    """

    name: str
    context_tokens: int
    output_tokens: int
    calls: int
    temperature: float | None = 0.0

    @property
    def fields_a_call(self) -> int:
        return max(1, self.output_tokens // TOKENS_A_FIELD)


@dataclass(slots=True)
class Told:
    """What came of asking: what is recorded with the row beside the fields."""

    calls: int = 0
    from_cache: int = 0
    repairs: int = 0
    invalid: int = 0
    unverified: int = 0
    pages: set[int] = field(default_factory=set)
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """A call to come, for so many fields."""

    request: ChatRequest
    fields: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """The fields, and what was told on the way."""

    fields: Fields
    told: Told


class LlmExtraction:
    """One document's. `settled` fields are not asked for."""

    def __init__(self, document: Document, template: Template, model: Model, asker: Asker, salt: str = "") -> None:
        self._document = document
        self._template = template
        self._model = model
        self._asker = asker
        self._verifier = Verifier(document)
        self._text_hash = text_hash(document)
        self._salt = salt
        self._told = Told()

    def extract(self, settled: Fields) -> Extracted:
        """Raises DocumentError, and what the asker raises."""
        asked = [one for one in self._template.fields if one.name not in settled]
        candidates = self._kept(asked)
        self._told.from_cache = len(candidates)
        left = [one for one in asked if one.name not in candidates]
        for group in groups(left, self._model):
            found = self._ask_group(group)
            self._asker.keep({self._key(one): to_json(found[one.name]) for one in group})
            candidates |= found
        values = {one.name: self._verifier.field_value(candidates[one.name], one) for one in asked}
        self._told.unverified = sum(not evidence.verified for value in values.values() for evidence in value.evidence)
        fields = {one.name: settled.get(one.name) or values[one.name] for one in self._template.fields}
        return Extracted(fields, self._told)

    def planned(self, settled: Fields) -> list[Planned]:
        """The calls that `extract` may make, if no answer makes another one needless."""
        asked = [one for one in self._template.fields if one.name not in settled]
        kept = self._kept(asked)
        left = [one for one in asked if one.name not in kept]
        return [
            Planned(request_for(group, window, self._text_hash), len(group))
            for group in groups(left, self._model)
            for window in choose(self._document, group, room_of(group, self._model), self._model.calls)
        ]

    def _kept(self, fields: Sequence[TemplateField]) -> dict[str, tuple[Candidate, ...]]:
        keys = {self._key(one): one.name for one in fields}
        return {keys[key]: tuple(from_json(kept)) for key, kept in self._asker.kept(list(keys)).items()}

    def _key(self, one: TemplateField) -> str:
        """Of all that an answer depends on. The document counts by its text: it holds the parser's version in it."""
        return hash_of(
            "field", VERSION, prompt.VERSION, self._text_hash, asked_of(one), model_key(self._model), self._salt
        )

    def _ask_group(self, fields: Sequence[TemplateField]) -> dict[str, tuple[Candidate, ...]]:
        """Asks window by window; a window that is too long for the model has all of them cut anew, shorter."""
        room = room_of(fields, self._model)
        for shortening in range(SHORTENINGS + 1):
            try:
                return self._ask_windows(fields, int(room / 2**shortening))
            except ContextTooLong as error:
                message = error.message
        raise DocumentError("llm_request_rejected", f"The prompt is too long for the model, also when cut: {message}")

    def _ask_windows(self, fields: Sequence[TemplateField], room: int) -> dict[str, tuple[Candidate, ...]]:
        windows = choose(self._document, fields, room, self._model.calls)
        found: dict[str, tuple[Candidate, ...]] = {one.name: () for one in fields}
        for number, window in enumerate(windows):
            self._asker.progress(number, len(windows))
            wanted = [one for one in fields if one.many or not self._proved(found[one.name], one)]
            if not wanted:
                break
            answer = self._answer(wanted, window)
            self._told.invalid += answer.invalid
            for one in wanted:
                found[one.name] = self._merged(found[one.name], answer.candidates[one.name], one)
        self._tell_choice(windows)
        return found

    def _tell_choice(self, windows: Sequence[Sequence[Passage]]) -> None:
        self._told.pages |= {passage.page for window in windows for passage in window}
        shown = sum(len(passage.text) for window in windows for passage in window)
        whole = sum(len(page.text) for page in self._document.pages if page.text.strip())
        self._told.left_out = max(self._told.left_out, whole - shown)

    def _proved(self, candidates: Sequence[Candidate], one: TemplateField) -> bool:
        return any(self._verifier.proves(candidate, one) for candidate in candidates)

    def _merged(
        self, before: tuple[Candidate, ...], new: tuple[Candidate, ...], one: TemplateField
    ) -> tuple[Candidate, ...]:
        """All different values of a list; of single values the first that is proved, else the first."""
        if one.many:
            known = {candidate.value for candidate in before}
            return before + tuple(candidate for candidate in new if candidate.value not in known)
        proved = next((candidate for candidate in new if self._verifier.proves(candidate, one)), None)
        return (proved,) if proved is not None else before or new

    def _answer(self, fields: Sequence[TemplateField], window: Sequence[Passage]) -> Answer:
        """One call, and one more where its answer cannot be used as it is."""
        request = request_for(fields, window, self._text_hash)
        reply = self._reply(request)
        try:
            answer = read_answer(reply.text, fields)
            problems = answer.problems
        except AnswerError as error:
            answer, problems = None, (str(error),)
        if not problems and answer is not None:
            return answer
        self._told.repairs += 1
        return self._repaired(request, reply, fields, problems, answer)

    def _repaired(
        self, request: ChatRequest, reply: Reply, fields: Sequence[TemplateField], problems: Sequence[str],
        before: Answer | None,
    ) -> Answer:  # fmt: skip
        again = ChatRequest(
            (
                *request.messages,
                {"role": "assistant", "content": reply.text},
                {"role": "user", "content": prompt.correction(problems)},
            ),
            request.schema,
            request.usable,
        )
        try:
            return read_answer(self._reply(again).text, fields)
        except AnswerError as error:
            if before is not None:
                return before
            raise DocumentError(
                "llm_invalid_answer", f"The answer cannot be used, asked again neither: {error}."
            ) from error

    def _reply(self, request: ChatRequest) -> Reply:
        reply = self._asker.ask(request)
        self._told.calls += 1
        if reply.refusal is not None or reply.finish == "content_filter":
            why = f": {reply.refusal[:300]}" if reply.refusal else " by its content filter"
            raise DocumentError("llm_refused", f"The model refused{why}.")
        if reply.finish == "length":
            raise DocumentError("llm_answer_cut", f"The answer was cut off after {len(reply.text)} characters.")
        return reply


def request_for(fields: Sequence[TemplateField], window: Sequence[Passage], text_hash: str) -> ChatRequest:
    mark = f"text {text_hash[:16]}"
    messages = (
        {"role": "system", "content": prompt.instructions(fields, mark)},
        {"role": "user", "content": prompt.material(fields, window, mark)},
    )
    return ChatRequest(messages, schema_of(fields), lambda text: _is_usable(text, fields))


def _is_usable(text: str, fields: Sequence[TemplateField]) -> bool:
    try:
        return not read_answer(text, fields).problems
    except AnswerError:
        return False


def groups(fields: Sequence[TemplateField], model: Model) -> list[Sequence[TemplateField]]:
    """As many fields at once as an answer has room for."""
    size = model.fields_a_call
    return [fields[start : start + size] for start in range(0, len(fields), size)]


def room_of(fields: Sequence[TemplateField], model: Model) -> int:
    """Characters of the document that fit into one call."""
    around = request_for(fields, (), "0" * 16)
    overhead = around.characters + 2 * len(json.dumps(around.schema))
    room = int((model.context_tokens - model.output_tokens) * CHARACTERS_A_TOKEN * ROOM_FOR_REPAIR) - overhead
    if room < SMALLEST_ROOM:
        raise DocumentError(
            "llm_request_rejected",
            f"{len(fields)} fields and an answer of {model.output_tokens} tokens leave no room for a document in the "
            f"{model.context_tokens} tokens of {model.name}.",
        )
    return room


def asked_of(one: TemplateField) -> str:
    """What of a field the model is told."""
    told = one.model_dump(mode="json", include={"name", "type", "many", "description", "values", "section"})
    return json.dumps(told, sort_keys=True)


def model_key(model: Model) -> str:
    return f"{model.name} {model.context_tokens} {model.output_tokens} {model.calls} {model.temperature}"


def text_hash(document: Document) -> str:
    digest = hashlib.sha256()
    for page in document.pages:
        digest.update(f"{page.number} {len(page.text)}\n{page.text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def hash_of(*parts: str) -> str:
    """sha256, in hex, of the parts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def usage_of(told: Told) -> Mapping[str, int]:
    """What is counted in the row, beside calls, tokens and cost."""
    counts = {
        "answers_from_cache": told.from_cache,
        "repairs": told.repairs,
        "invalid_values": told.invalid,
        "unverified_values": told.unverified,
    }
    return {name: count for name, count in counts.items() if count}
