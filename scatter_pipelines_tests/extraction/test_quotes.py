"""Where a quote is found, and which quotes say something else than the page."""

import pytest

from scatter_pipelines.extraction.quotes import QuoteFinder
from scatter_pipelines.extraction.tokens import Tokens
from scatter_pipelines_tests.extraction.documents import plain


def found(text: str, quote: str) -> str | None:
    """The page's own words for the quote."""
    located = QuoteFinder(plain(text)).find(quote)
    return None if located is None else text[located.span.start : located.span.end]


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("We enrolled 120 patients.", "enrolled 120 patients", "enrolled 120 patients"),
        ("We enrolled\n 120   patients.", "We enrolled 120 patients.", "We enrolled\n 120   patients."),
        ("They were random-\nised to it", "were randomised to", "were random-\nised to"),
        ("They were random\u00ad\nised to it", "were randomised to", "were random\u00ad\nised to"),
        ("They were random-\nised to it", "were random- ised to", "were random-\nised to"),
        ("at follow-\nup visits", "follow-up visits", "follow-\nup visits"),
        ("at follow-up visits", "followup visits", "follow-up visits"),
        ("conﬁrmatory oﬃce", "confirmatory office", "conﬁrmatory oﬃce"),
        ("confirmatory office", "conﬁrmatory oﬃce", "confirmatory office"),
        ("it was p<0.05 there", "was p < 0.05", "was p<0.05"),
        ("a dose of 5mg daily", "dose of 5 mg daily", "dose of 5mg daily"),
        ("Müller’s “test”", 'Mu\u0308ller\'s "test"', "Müller’s “test”"),
        ("ranged 5–12 days", "ranged 5-12 days", "ranged 5–12 days"),
        ("was 0·05 here", "was 0.05 here", "was 0·05 here"),
        ("of 5–12 mmHg then", "12 mmHg then", "12 mmHg then"),
        ("COVID-19 was rare", "19 was rare", "19 was rare"),
        ("Not one left. They all stayed on.", "They all stayed on", "They all stayed on"),
    ],
)
def test_the_same_words_are_found_whatever_they_wear(text: str, quote: str, there: str) -> None:
    assert found(text, quote) == there


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a change of −12 mmHg then", "12 mmHg then"),
        ("a change (-12 mmHg) then", "12 mmHg"),
        ("a mean of .5 units", "5 units"),
        ("a mean of 10.5 units", "5 units"),
        ("a mean of 10.5 units", "mean of 10"),
        ("arm A 12 3 patients", "123 patients"),
        ("arm A 123 patients", "12 3 patients"),
        ("it was 5. 7 died", "was 5.7 died"),
        ("it was 10² cells", "was 102 cells"),
        ("it was 10² cells", "it was 10"),
        ("it was 5 × 10−3 M", "it was 5"),
        ("it was 5 million in all", "it was 5"),
        ("it was not significant at all", "significant at all"),
        ("it didn't change at all", "change at all"),
        ("it didn’t change at all", "change at all"),
        ("there was no clear effect on it", "effect on it"),
        ("it is unlikely that it works", "it works"),
        ("they failed to show an effect", "show an effect"),
        ("in the absence of pain they went", "pain they went"),
        ("a non-significant effect", "significant effect"),
        ("an insignificant effect", "significant effect"),
        ("page 12 of 12, and 12", "12"),
        ("We enrolled 120 patients", "we enrolled 120 patients"),
        ("We enrolled 120 patients", "..."),
        ("We enrolled 120 patients", ""),
        ("We enrolled 120 patients in all", "We enrolled ... patients"),
    ],
)
def test_words_that_say_something_else_are_not_found(text: str, quote: str) -> None:
    assert found(text, quote) is None


def test_a_number_alone_is_found_where_it_stands_once() -> None:
    assert found("We enrolled 120 patients.", "120") == "120"


def test_a_quote_is_found_on_its_page_and_never_across_two() -> None:
    finder = QuoteFinder(plain("first page ends", "second page ends"))
    located = finder.find("second page")
    assert located is not None and (located.span.page, located.occurrences) == (2, 1)
    assert finder.find("ends second") is None
    both = finder.find("page ends")
    assert both is not None and (both.span.page, both.occurrences) == (1, 2)


def test_what_is_only_like_it_is_a_hint() -> None:
    finder = QuoteFinder(plain("Nothing here.", "We enrolled 120 patients with asthma in Oslo."))
    quote = "We enroled 120 patients with asthma in Oslo"
    assert finder.find(quote) is None
    hint = finder.hint(quote)
    assert hint is not None and hint[0].page == 2 and 0.8 < hint[1] < 1
    assert finder.hint("Quite another sentence about whales and ships") is None
    assert finder.hint("") is None


def test_a_quote_of_absurd_length_is_not_looked_for() -> None:
    text = "word " * 10_000
    assert found(text, text) is None


def test_tokens_stand_where_their_text_says() -> None:
    text = "A ﬁne, 1,234.5 non-\nlinear 10² x"
    tokens = Tokens(text).tokens
    assert [token.text for token in tokens] == ["A", "fine", ",", "1,234.5", "nonlinear", "10", "²", "x"]
    assert [text[token.start : token.end] for token in tokens][1:5] == ["ﬁne", ",", "1,234.5", "non-\nlinear"]
