"""Each public set on a small file of the structure that its authors describe."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from engine.errors import DataError
from engine.evaluation.dataset_import import import_set
from engine.evaluation.questions import load_questions
from engine.prompts.tasks import task_of
from ingest.datasets.table import DATASETS, entries
from ingest.datasets.values import NotAsDocumented, SetDocument, SetQuestion

BOAT = ["The boat is red. ", "It lies in Leith."]
HOTPOT = {
    "_id": "5a",
    "question": "Where lies the red boat?",
    "answer": "Leith",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Boat", 1]],
    "context": [["Pier", ["A pier."]], ["Boat", BOAT]],
}
MUSIQUE = {
    "id": "2hop__1_2",
    "paragraphs": [
        {"idx": 0, "title": "Pier", "paragraph_text": "A pier.", "is_supporting": False},
        {"idx": 1, "title": "Boat", "paragraph_text": "".join(BOAT), "is_supporting": True},
    ],
    "question": "Where lies the red boat?",
    "question_decomposition": [],
    "answer": "Leith",
    "answer_aliases": ["Port of Leith"],
    "answerable": True,
}
PAGE = "Boat - Wikipedia <H1> Boat </H1> <P> It lies in Leith . </P> <P> Other . </P>"
NQ = {
    "example_id": 797,
    "question_text": "where lies the boat",
    "document_text": PAGE,
    "document_url": "",
    "long_answer_candidates": [
        {"start_token": 6, "end_token": 13, "top_level": True},
        {"start_token": 7, "end_token": 12, "top_level": False},
        {"start_token": 13, "end_token": 17, "top_level": True},
    ],
    "annotations": [
        {
            "yes_no_answer": "NONE",
            "long_answer": {"start_token": 7, "end_token": 12, "candidate_index": 1},
            "short_answers": [{"start_token": 10, "end_token": 11}],
        }
    ],
}


def qasper_answer(**given: Any) -> dict[str, Any]:
    nothing = {"unanswerable": False, "extractive_spans": [], "yes_no": None}
    answer = nothing | {"free_form_answer": "", "evidence": [], "highlighted_evidence": []} | given
    return {"answer": answer, "annotation_id": "a", "worker_id": "w"}


STATED = "It lies in Leith."
NO_ANSWER = qasper_answer(unanswerable=True)
QASPER = {
    "1909.00694": {
        "title": "On boats",
        "abstract": "We look at boats.",
        "full_text": [{"section_name": "Where", "paragraphs": ["It lies in Leith.", ""]}],
        "qas": [
            {
                "question": "Where does it lie?",
                "question_id": "q1",
                "answers": [
                    qasper_answer(
                        extractive_spans=["Leith", "Fife"], evidence=["It lies in Leith."]
                    ),
                    qasper_answer(yes_no=True),
                ],
            },
            {
                "question": "Who?",
                "question_id": "q2",
                "answers": [qasper_answer(unanswerable=True)],
            },
        ],
    }
}
QUALITY = {
    "article_id": "1",
    "title": "The Boat",
    "author": "Ann Lee",
    "article": "<html><p>It lies in Leith.</p></html>",
    "questions": [
        {
            "question": "Where?",
            "question_unique_id": "1_A_1",
            "options": ["Fife", "Leith", "Oban", "Skye"],
            "gold_label": 2,
        }
    ],
}
QMSUM = {
    "topic_list": [],
    "general_query_list": [{"query": "Summarize the meeting.", "answer": "They met."}],
    "specific_query_list": [
        {"query": "What of the boat?", "answer": "Sold.", "relevant_text_span": [["0", "1"]]}
    ],
    "meeting_transcripts": [{"speaker": "Ann", "content": "The boat is sold."}],
}
PUBMEDQA = {
    "123": {
        "QUESTION": "Do boats float?",
        "CONTEXTS": ["We looked.", "They float."],
        "LABELS": ["METHODS", "RESULTS"],
        "YEAR": "2001",
        "final_decision": "yes",
        "LONG_ANSWER": "They do.",
    }
}
STRATEGYQA = {
    "qid": "s1",
    "term": "Boat",
    "description": "A vessel",
    "question": "Can a boat climb Ben Nevis?",
    "answer": False,
    "facts": ["Boats float.", "Ben Nevis is dry."],
    "decomposition": [],
    "evidence": [],
}
TRIVIAQA = {
    "Data": [
        {
            "Answer": {"Value": "Leith", "Aliases": ["Leith", "Port of Leith"]},
            "EntityPages": [{"Title": "Boat", "Filename": "Boat.txt"}],
            "SearchResults": [{"Title": "Web", "Filename": "../../secret.txt"}],
            "Question": "Where lies the boat?",
            "QuestionId": "tc_1",
        }
    ]
}
CRAG = {
    "interaction_id": "c1",
    "query": "where lies the boat?",
    "answer": "leith",
    "alt_ans": ["port of leith"],
    "question_type": "simple",
    "search_results": [
        {"page_name": "Boat", "page_url": "x", "page_result": "<p>It lies in Leith.</p>"},
        {"page_name": "Gone", "page_url": "y", "page_result": ""},
    ],
}
LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:00 pm on 1 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "My boat!", "blip_caption": "a red boat"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "It lies in Leith."},
        ],
        "session_2_date_time": "1:00 pm on 2 May, 2023",
    },
    "qa": [
        {"question": "Where?", "answer": "Leith", "evidence": ["D1:2; D1:1"], "category": 1},
        {"question": "Whose car?", "adversarial_answer": "Ann's", "evidence": [], "category": 5},
    ],
}
LEITH = SetDocument("Boat", "".join(BOAT))


def read(name: str, file: Path, content: str, *more: Path) -> list[SetQuestion]:
    file.write_text(content)
    return list(entries(name, [file, *more]))


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
def test_hotpotqa_and_2wikimultihopqa(name: str, tmp_path: Path) -> None:
    [found] = read(name, tmp_path / "dev.json", json.dumps([HOTPOT]))
    assert found == SetQuestion(
        "5a",
        "Where lies the red boat?",
        ("Leith",),
        documents=(SetDocument("Pier", "A pier."), LEITH),
        gold=(1,),
    )


def test_sentences_are_joined_with_one_space_at_least(tmp_path: Path) -> None:
    row = HOTPOT | {"context": [["Boat", ["Born in 1920.", "Died in 1990.", " So.", ""]]]}
    [found] = read("2wikimultihopqa", tmp_path / "dev.json", json.dumps([row]))
    assert found.documents[0].text.strip() == "Born in 1920. Died in 1990. So."


def test_musique(tmp_path: Path) -> None:
    unanswerable = MUSIQUE | {"id": "x", "answerable": False}
    one, other = read("musique", tmp_path / "dev.jsonl", lines(MUSIQUE, unanswerable))
    assert one.answers == ("Leith", "Port of Leith")
    assert (one.documents[1], one.gold) == (LEITH, (1,))
    assert other.unanswerable
    assert other.answers == ()


def test_natural_questions(tmp_path: Path) -> None:
    yes = NQ["annotations"][0] | {"yes_no_answer": "YES", "short_answers": []}
    none = {"yes_no_answer": "NONE", "long_answer": {"start_token": -1}, "short_answers": []}
    long = NQ["annotations"][0] | {"short_answers": []}
    rows = [NQ, *(NQ | {"annotations": [given]} for given in (yes, none, long))]
    one, polar, without, passage = read("nq", tmp_path / "nq.jsonl", lines(*rows))
    assert (one.id, one.answers, one.gold) == ("797", ("Leith",), (0,))
    assert one.documents == (
        SetDocument("Boat", "It lies in Leith ."),
        SetDocument("Boat", "Other ."),
    )
    assert polar.answers == ("yes",)
    assert without.unanswerable
    assert without.gold == ()
    assert (passage.answers, passage.gold, passage.unanswerable) == ((), (0,), False)


def test_nq_open(tmp_path: Path) -> None:
    row = {"question": "where lies the boat", "answer": ["Leith", "Fife"]}
    [found] = read("nq", tmp_path / "NQ-open.dev.jsonl", lines(row))
    assert (found.question, found.answers) == (row["question"], ("Leith", "Fife"))
    assert found.documents == ()


def test_qasper(tmp_path: Path) -> None:
    one, other = read("qasper", tmp_path / "dev.json", json.dumps(QASPER))
    assert one.answers == ("Leith, Fife", "yes")
    assert one.gold == (1,)
    assert one.documents[1] == SetDocument("1909.00694", "It lies in Leith.")
    assert len(one.documents) == 2
    assert other.unanswerable


def test_quality(tmp_path: Path) -> None:
    [found] = read("quality", tmp_path / "dev", lines(QUALITY))
    assert (found.answers, found.answer_index) == (("Leith",), 1)
    assert found.documents == (SetDocument("The Boat (Ann Lee)", "It lies in Leith."),)
    unlabelled = QUALITY | {"questions": [QUALITY["questions"][0] | {"gold_label": None}]}
    with pytest.raises(NotAsDocumented, match=r'line 1: "gold_label"'):
        read("quality", tmp_path / "test", lines(unlabelled))


def test_qmsum(tmp_path: Path) -> None:
    one, other = read("qmsum", tmp_path / "test.jsonl", lines(QMSUM))
    assert (one.id, one.mode, one.answers) == ("1-general-1", "summary", ("They met.",))
    assert other.question == "What of the boat?"
    assert other.documents == (SetDocument("Meeting 1", "Ann: The boat is sold."),)


def test_pubmedqa(tmp_path: Path) -> None:
    [found] = read("pubmedqa", tmp_path / "ori_pqal.json", json.dumps(PUBMEDQA))
    assert (found.id, found.answers) == ("123", ("yes",))
    assert found.documents == (SetDocument("PMID 123", "We looked.\nThey float."),)


def test_strategyqa(tmp_path: Path) -> None:
    [found] = read("strategyqa", tmp_path / "train.json", json.dumps([STRATEGYQA]))
    assert found.answers == ("no",)
    assert [one.text for one in found.documents] == STRATEGYQA["facts"]
    assert found.gold == (0, 1)


def test_triviaqa_takes_its_texts_from_its_own_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    (folder / "wikipedia").mkdir(parents=True)
    (folder / "wikipedia" / "Boat.txt").write_text("".join(BOAT))
    (tmp_path / "secret.txt").write_text("secret")
    file = tmp_path / "web-dev.json"
    [found] = read("triviaqa", file, json.dumps(TRIVIAQA), folder)
    assert found.answers == ("Leith", "Port of Leith")
    assert found.documents == (LEITH,)
    [bare] = read("triviaqa", file, json.dumps(TRIVIAQA))
    assert bare.documents == ()


def test_popqa(tmp_path: Path) -> None:
    file = tmp_path / "popQA.tsv"
    with file.open("w", newline="") as stream:
        table = csv.writer(stream, delimiter="\t")
        table.writerow(["id", "subj", "question", "possible_answers"])
        table.writerow(["7", "Boat", "Where lies it?", '["Leith", "Port of Leith"]'])
    [found] = entries("popqa", [file])
    assert (found.id, found.answers) == ("7", ("Leith", "Port of Leith"))


def test_crag_packed(tmp_path: Path) -> None:
    file = tmp_path / "crag.jsonl.bz2"
    invalid = CRAG | {"interaction_id": "c2", "answer": "invalid question", "alt_ans": "[]"}
    file.write_bytes(bz2.compress(lines(CRAG, invalid).encode()))
    one, other = entries("crag", [file])
    assert one.answers == ("leith", "port of leith")
    assert one.documents == (SetDocument("Boat", "It lies in Leith."),)
    assert other.unanswerable
    assert other.answers == ()


def test_longbench_in_both_versions(tmp_path: Path) -> None:
    first = {"_id": "a", "input": "Where?", "context": "Text.", "answers": ["Leith", "Fife"]}
    meeting = first | {"dataset": "qmsum", "input": ""}
    second = {"_id": "b", "question": "Where?", "context": "Text.", "answer": "C"}
    second |= {f"choice_{letter}": f"place {letter}" for letter in "ABCD"}
    one, two, three = read("longbench", tmp_path / "x.jsonl", lines(first, meeting, second))
    assert one.answers == ("Leith", "Fife")
    assert (two.mode, two.question) == ("summary", "Summarise the text.")
    assert (three.answers, three.answer_index) == (("place C",), 2)


def test_infinitebench(tmp_path: Path) -> None:
    book = {"id": 1, "context": "Book.", "input": "Where?", "answer": ["Leith"], "options": []}
    choice = book | {"id": 2, "options": ["Fife", "Leith"]}
    number = book | {"id": 3, "answer": 42}
    found = read("infinitebench", tmp_path / "x.jsonl", lines(book, choice, number))
    assert [one.answers for one in found] == [("Leith",), ("Leith",), ("42",)]
    assert [one.answer_index for one in found] == [None, 1, None]


def test_locomo(tmp_path: Path) -> None:
    one, other = read("locomo", tmp_path / "locomo10.json", json.dumps([LOCOMO]))
    [session] = one.documents
    assert session.title == "conv-1 session 1 (1:00 pm on 1 May, 2023)"
    assert session.text == "[D1:1] Ann: My boat! [shows: a red boat]\n[D1:2] Bob: It lies in Leith."
    assert one.turns == ((0, "D1:2"), (0, "D1:1"))
    assert other.unanswerable


def test_bamboogle(tmp_path: Path) -> None:
    [found] = read("bamboogle", tmp_path / "b.csv", 'Question,Answer\n"Who, then?",Ann\n')
    assert (found.question, found.answers) == ("Who, then?", ("Ann",))


def test_every_set_of_the_table_has_a_test() -> None:
    assert set(DATASETS) == {
        *("hotpotqa", "2wikimultihopqa", "musique", "nq", "qasper", "quality", "qmsum"),
        *("pubmedqa", "strategyqa", "triviaqa", "popqa", "crag", "longbench"),
        *("infinitebench", "locomo", "bamboogle"),
    }


def test_files_may_be_packed(tmp_path: Path) -> None:
    packed = tmp_path / "dev.jsonl.gz"
    packed.write_bytes(gzip.compress(lines(MUSIQUE).encode()))
    zipped = tmp_path / "dev.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("data/dev.jsonl", lines(MUSIQUE))
    assert len(list(entries("musique", [packed, zipped]))) == 2
    with zipfile.ZipFile(zipped, "a") as archive:
        archive.writestr("data/train.jsonl", lines(MUSIQUE))
    with pytest.raises(NotAsDocumented, match="2 files"):
        list(entries("musique", [zipped]))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("musique", lines(MUSIQUE, {"id": "x"}), 'line 2: "paragraphs" is missing'),
        ("hotpotqa", json.dumps([HOTPOT | {"context": [["Boat"]]}]), 'entry 1: "context"'),
        ("qasper", "[]", "a JSON object is expected"),
        ("triviaqa", "{}", "Data"),
        ("strategyqa", json.dumps([STRATEGYQA | {"answer": "no"}]), "not true or false"),
        ("musique", "{nonsense", "line 1 is not JSON"),
        ("musique", "\x00\x01", "not JSON"),
        ("crag", lines(CRAG | {"alt_ans": "['b']"}), '"alt_ans" is not JSON'),
        ("strategyqa", "[" * 99999, "not JSON"),
        ("locomo", json.dumps([{"qa": [{"question": 7}]}]), '"question" is not a text'),
    ],
)
def test_what_is_not_as_documented_is_named(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(NotAsDocumented, match=said):
        read(name, tmp_path / "file", content)


def test_a_set_becomes_questions_and_one_corpus(tmp_path: Path) -> None:
    other = HOTPOT | {"_id": "5b", "question": "What colour is the boat?", "answer": "red"}
    found = read("hotpotqa", tmp_path / "dev.json", json.dumps([HOTPOT, other]))
    done = import_set("hotpotqa", found, tmp_path / "out")
    assert (done.count, done.documents) == (2, 2)  # the passages of both are the same
    [first, _] = load_questions(done.questions)
    assert (first.id, first.answers, first.candidates) == ("hotpotqa-5a", ("Leith",), (0, 1))
    assert [(one.title, one.lines) for one in first.support] == [("Boat", (1,))]
    assert done.corpus is not None
    kept = [json.loads(line) for line in done.corpus.read_text().splitlines()]
    assert kept[1] == {"title": "Boat", "text": "".join(BOAT)}


def test_questions_of_several_files_have_ids_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(lines(QMSUM))
    found = entries("qmsum", [tmp_path / "one", tmp_path / "two"])
    asked = load_questions(import_set("qmsum", found, tmp_path / "out").questions)
    assert [one.id for one in asked] == [
        *("qmsum-1-general-1", "qmsum-1-specific-1"),
        *("qmsum-1-general-1-2", "qmsum-1-specific-1-2"),
    ]


def test_public_sets_are_no_personal_questions_but_those_of_a_person() -> None:
    asked_as = {name: task_of(name) for name in DATASETS}
    assert [name for name, task in asked_as.items() if task == "question"] == ["locomo"]
    assert task_of("enron_annotated") == task_of("mine-hotpotqa") == "question"
    assert task_of("longbench-hotpotqa") == "multihop"
    assert task_of("longbench-passage_count") == asked_as["longbench"]
    assert task_of("infinitebench-longbook_choice_eng") == "book"


def test_a_suite_keeps_the_names_of_its_sets_and_overwrites_none(tmp_path: Path) -> None:
    row = {"_id": "a", "input": "Where?", "context": "Text.", "answers": ["Leith"]}
    found = read("longbench", tmp_path / "x.jsonl", lines(row | {"dataset": "hotpotqa"}))
    done = import_set("longbench", found, tmp_path / "out")
    before = done.questions.read_text()
    assert [one.dataset for one in load_questions(done.questions)] == ["longbench-hotpotqa"]
    with pytest.raises(DataError, match="is there already"):
        import_set("longbench", found, tmp_path / "out")
    assert done.questions.read_text() == before
    book = {"id": 1, "context": "Book.", "input": "?", "answer": ["Leith"], "options": []}
    [one] = read("infinitebench", tmp_path / "longbook_sum_eng.jsonl", lines(book))
    assert (one.part, one.mode) == ("longbook_sum_eng", "summary")


@pytest.mark.parametrize("name", ["bad.json.gz", "bad.json.bz2"])
def test_a_file_that_cannot_be_unpacked_is_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(b"no archive")
    assert main(["eval", "import", "hotpotqa", str(file), "--out", str(tmp_path / "o")]) == 2
    assert f"{file} could not be unpacked" in capsys.readouterr().err


def test_a_corpus_is_filled_as_ttrag_does(tmp_path: Path) -> None:
    found = [
        SetQuestion(str(n), "q", ("a",), documents=(SetDocument(f"T{n:02}", "x" * 397),), gold=(0,))
        for n in range(20)
    ]
    done = import_set("nq", found, tmp_path, limit=2, tokens=1000, seed=1)
    assert (done.count, done.documents, done.tokens) == (2, 10, 1000)
    asked = list(load_questions(done.questions))
    assert done.corpus is not None
    titles = [json.loads(line)["title"] for line in done.corpus.read_text().splitlines()]
    assert [titles[one.support[0].lines[0]] for one in asked] == ["T00", "T01"]
    assert titles != sorted(titles)  # shuffled
    again = import_set("nq", found, tmp_path / "again", limit=2, tokens=1000, seed=1)
    assert again.corpus is not None
    assert titles == [json.loads(line)["title"] for line in again.corpus.read_text().splitlines()]
    with pytest.raises(DataError, match="about 2,000 tokens, fewer than 5,000"):
        import_set("nq", found, tmp_path / "more", tokens=5000)


def test_import_says_what_it_wrote_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "b.csv"
    file.write_text("Question,Answer\nWho?,Ann\n")
    assert main(["eval", "import", "bamboogle", str(file), "--out", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert out == f"1 questions in {tmp_path}/out/dev/bamboogle.jsonl\n"
    assert "never tried" in err
    assert main(["eval", "import", "locomo", str(file), "--out", str(tmp_path)]) == 2
    assert "locomo is read from: locomo10.json" in capsys.readouterr().err
    assert main(["eval", "import", "nq", "/no/such", "--out", str(tmp_path)]) == 2
    assert "/no/such" in capsys.readouterr().err
