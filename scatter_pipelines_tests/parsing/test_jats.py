"""Articles in JATS."""

import pytest

from scatter_pipelines.errors import DocumentError
from scatter_pipelines_tests.parsing.pdfs import parse
from scatter_pipelines_tests.parsing.regions import check_regions, lines, texts

DOCTYPE = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.1//EN" "JATS-archivearticle1.dtd">'
FRONT = """<front><journal-meta><journal-title-group><journal-title>Rest</journal-title></journal-title-group>
</journal-meta>
<article-meta><article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1/x</article-id>
<title-group><article-title>On <italic>sleep</italic><xref ref-type="fn">*</xref></article-title>
<subtitle>A trial</subtitle>
</title-group><contrib-group><contrib contrib-type="author"><name><surname>Low</surname><given-names>Ada</given-names>
<suffix>Jr</suffix></name><xref ref-type="aff"><sup>1</sup></xref></contrib><contrib contrib-type="author">
<collab>SLEEP group
</collab></contrib></contrib-group><contrib-group><contrib contrib-type="editor"><name><surname>Ed</surname></name>
</contrib>
<aff>Elsewhere</aff></contrib-group><aff><label>1</label>Rest House</aff><author-notes>
<corresp>Write to <email>ada@x.org</email>
</corresp><fn fn-type="COI-statement"><p>None.</p></fn></author-notes><pub-date pub-type="epreprint">
<year>2017</year></pub-date>
<pub-date pub-type="collection"><year>2018</year></pub-date><pub-date pub-type="epub"><day>7</day><month>3</month>
<year>2018</year></pub-date><abstract abstract-type="graphical"><p>Picture</p></abstract><abstract>
<title>Abstract</title><sec>
<title>Aim</title><p>To sleep&hellip; &alpha;.</p></sec></abstract><kwd-group><kwd>bed</kwd><kwd>night</kwd></kwd-group>
<funding-group><award-group><funding-source>Fund</funding-source><award-id>7</award-id></award-group></funding-group>
</article-meta></front>"""
BODY = """<body><sec><title>Methods</title><p>We slept 10<sup>4</sup> times.</p><sec><label>1.1</label>
<title>Beds</title>
<table-wrap><label>Table 1</label><caption><p>Beds used</p></caption><table><tr><td>a</td><td>b</td></tr></table>
<table-wrap-foot><fn><p>a: none</p></fn></table-wrap-foot></table-wrap><fig><label>Figure 1</label><caption>
<p>A bed</p></caption>
</fig><disp-formula><alternatives><tex-math>\\frac</tex-math>
<mml:math><mml:mfrac><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:mfrac></mml:math>
</alternatives></disp-formula></sec></sec><sec><title>Results</title><p>Good.</p></sec></body>"""
BACK = """<back><ack><p>Thanks to all.</p></ack><fn-group><fn fn-type="financial-disclosure"><p>Paid by us.</p></fn>
</fn-group>
<ref-list><ref><label>1</label><element-citation><person-group person-group-type="author"><name><surname>Dee</surname>
<given-names>B</given-names></name><etal/></person-group><article-title>Naps</article-title><source>Rest</source>
<year>2001</year>
<volume>3</volume><issue>2</issue><fpage>4</fpage><lpage>9</lpage><pub-id pub-id-type="doi">10.2/y</pub-id>
</element-citation>
</ref></ref-list></back>"""


def article(*parts: str, doctype: str = DOCTYPE) -> bytes:
    return f'{doctype}<article xmlns:mml="http://www.w3.org/1998/Math/MathML">{"".join(parts)}</article>'.encode()


def test_the_front_page_says_who_wrote_what_where_and_when() -> None:
    document = parse(article(FRONT, BODY, BACK))
    expected = {
        "journal": ["Rest"], "title": ["On sleep: A trial"], "author": ["Ada Low Jr", "SLEEP group"], "doi": ["10.1/x"],
        "affiliation": ["1 Rest House"], "email": ["ada@x.org"], "conflicts": ["None."], "keywords": ["bed; night"],
        "publication_date": ["2018-03-07"], "abstract": ["Aim\nTo sleep… α."], "funding": ["Fund 7", "Paid by us."],
    }  # fmt: skip
    assert {kind: texts(document, kind) for kind in expected} == expected
    assert document.marked_up
    check_regions(document)


def test_sections_are_pages_with_their_tables_and_captions() -> None:
    document = parse(article(FRONT, BODY, BACK))
    assert lines(document)[1] == [
        "Methods", "We slept 10^4 times.", "1.1 Beds", "Table 1 Beds used", "a\tb", "a: none", "Figure 1 A bed", "x/2",
    ]  # fmt: skip
    levels = [(text, region.level) for text, region in zip(
        texts(document, "heading"), [one for one in document.regions if one.kind == "heading"], strict=True
    )]  # fmt: skip
    assert levels[2:] == [("Methods", 1), ("1.1 Beds", 2), ("Results", 1), ("Acknowledgements", 1), ("References", 1)]
    assert texts(document, "caption") == ["Table 1 Beds used", "Figure 1 A bed"]
    assert texts(document, "table") == ["a\tb"]
    assert texts(document, "acknowledgements") == ["Thanks to all."]
    assert texts(document, "reference") == ["1 Dee B, et al. Naps. Rest. 2001;3(2):4-9. doi:10.2/y."]


def test_an_article_without_a_body_and_a_set_of_articles_are_read() -> None:
    assert len(parse(article(FRONT)).pages) == 1
    two = f"<pmc-articleset>{article(FRONT, doctype='').decode() * 2}</pmc-articleset>"
    assert texts(parse(two.encode()), "doi") == ["10.1/x", "10.1/x"]


def test_a_cut_article_is_corrupt_and_one_without_text_empty() -> None:
    for content, code in ((article(FRONT)[:-40], "corrupt"), (article("<front/>"), "empty")):
        with pytest.raises(DocumentError) as caught:
            parse(content)
        assert caught.value.code == code


def test_comments_and_instructions_are_nothing_wherever_they_stand() -> None:
    noise = "<!-- c --><?p x?>"
    body = f"<body>{noise}<p>Be{noise}fore</p><sec>{noise}<title>M</title></sec>{noise}</body>"
    back = f"<back>{noise}<ref-list>{noise}<ref><mixed-citation>A. {noise}2001</mixed-citation></ref></ref-list></back>"
    assert lines(parse(article(body, back))) == [["Before"], ["M"], ["References", "A. 2001"]]
