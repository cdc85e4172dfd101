"""The packaged catalogue, the strictness of its reader, and the offline variables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import CatalogueInvalid, ModelUnknown
from models.store.catalogue import (
    FileSource,
    HubSource,
    IndexSource,
    Role,
    load_catalogue,
    parse_catalogue,
)
from models.store.user_rows import row_text
from models.system.offline import set_offline_environment

ROW = f"""
[[model]]
id = "toy"
title = "Toy"
roles = ["generator", "lookahead"]
format = "gguf"
file = "toy.gguf"
size = 10
sha256 = "{"0" * 64}"
licence = "Apache-2.0"
context = 128
parameters = 7
quantisation = "Q4_0"
verified = false
"""
SOURCE = f"""
[[model.source]]
kind = "index"
wheels = [{{ requirement = "toy==1.0", sha256 = "{"1" * 64}", member = "toy/part" }}]
"""
UNVERIFIED = """
[[model]]
id = "toy"
title = "Toy"
roles = ["generator"]
format = "gguf"
file = "toy.gguf"
licence = "Apache-2.0"
quantisation = "Q4_0"
verified = false
[[model.source]]
kind = "hub"
repo = "a/b"
file = "f.gguf"
"""
EXTRA = f"""
[[model.extra]]
file = "sub/vocab.txt"
size = 3
sha256 = "{"2" * 64}"
member = "toy/vocab.txt"
"""
CONFIDENCE = """
[model.confidence]
intercept = -1
judged = 0.5
[model.confidence.typical]
judged = 2.5
"""


def test_the_starters_are_the_default_and_can_be_pulled() -> None:
    catalogue = load_catalogue()
    roles: tuple[Role, ...] = ("lookahead", "generator", "sparse_encoder")
    assert set(catalogue.starter()) == {catalogue.default(role) for role in roles}
    assert catalogue.default("lookahead").id == "qwen2.5-coder-0.5b-instruct-q4_k_m"
    assert catalogue.default("generator").id == "qwen2.5-coder-1.5b-instruct-q4_k_m"
    assert catalogue.default("encoder").id == "all-minilm-l6-v2"
    assert all(isinstance(row.sources[0], IndexSource) for row in catalogue.starter())
    assert all(row.verified for row in catalogue.starter())
    assert catalogue.default("lookahead").reaction_layer == 16
    assert catalogue.default("generator").adapter


def test_what_nobody_verified_has_no_hash_no_revision_and_comes_last() -> None:
    rows = load_catalogue().rows
    assert [row.bound for row in rows] == sorted((row.bound for row in rows), reverse=True)
    assert [row.verified for row in rows] == [row.bound for row in rows]
    for row in rows:
        if not row.verified:
            assert not row.sha256
            assert [source.kind for source in row.sources] == ["hub"]
            assert all(isinstance(s, HubSource) and not s.revision for s in row.sources)
            assert not any(extra.sha256 for extra in row.extras)


def test_the_page_of_models_names_every_pair() -> None:
    page = (Path(__file__).parents[1] / "docs" / "models.md").read_text("utf-8")
    for pair in load_catalogue().pairs:
        row = f"| {pair.memory // 10**9} GB | {pair.device.upper()} | `{pair.lookahead}` | "
        assert f"{row}`{pair.generator}` |" in page


def test_curated_pairs_go_from_small_to_large_and_are_openly_licensed() -> None:
    catalogue = load_catalogue()
    for device in ("cpu", "gpu"):
        sizes = [pair.memory for pair in catalogue.pairs if pair.device == device]
        assert sizes == sorted(sizes)
    assert {8, 16, 24, 48} <= {p.memory // 10**9 for p in catalogue.pairs if p.device == "gpu"}
    for pair in catalogue.pairs:
        small, large = catalogue.row(pair.lookahead), catalogue.row(pair.generator)
        assert small.parameters < large.parameters
        assert "lookahead" in small.roles
        assert "generator" in large.roles
        assert small.size + large.size < pair.memory
    assert {row.licence for row in catalogue.rows} <= {"Apache-2.0", "MIT"}
    assert sum(row.roles == ("encoder",) for row in catalogue.rows) == 3


def test_rows_of_two_files_are_joined_and_unbound_ones_come_last() -> None:
    mine = parse_catalogue((ROW + SOURCE).replace('"toy"', '"mine"'), "models.toml")
    free = parse_catalogue(UNVERIFIED.replace('"toy"', '"free"'), "models.toml")
    both = parse_catalogue(ROW + SOURCE, "toy.toml").joined(free, "f").joined(mine, "m")
    assert [row.id for row in both.rows] == ["toy", "mine", "free"]
    with pytest.raises(CatalogueInvalid, match=r"models\.toml has two models with the id 'mine'"):
        both.joined(mine, "models.toml")


def test_a_row_without_a_hash_needs_no_numbers_but_says_that_it_is_not_verified() -> None:
    row = parse_catalogue(UNVERIFIED, "toy.toml").row("toy")
    assert (row.bound, row.size, row.context, row.sources) == (
        *(False, 0, 0),
        (HubSource("a/b", "", "f.gguf"),),
    )
    with pytest.raises(CatalogueInvalid, match="lacks the key 'size'"):
        parse_catalogue(UNVERIFIED.replace("verified = false", "verified = true"), "toy.toml")


def test_a_pair_names_models_that_there_are() -> None:
    pair = '[[pair]]\ndevice = "gpu"\nmemory = 1\nlookahead = "toy"\ngenerator = "other"\n'
    with pytest.raises(CatalogueInvalid, match="generator = 'other', not one of toy"):
        parse_catalogue(ROW + SOURCE + pair, "toy.toml")


def test_no_wheel_stands_in_the_catalogue_twice() -> None:
    sources = [source for row in load_catalogue().rows for source in row.sources]
    wheels = [w for s in sources if isinstance(s, IndexSource) for w in s.wheels]
    assert len({w.sha256 for w in wheels}) == len({w.requirement for w in wheels}) == len(wheels)


def test_an_unknown_id_lists_the_known_ones() -> None:
    with pytest.raises(ModelUnknown, match="smollm2-135m-instruct-q4_1") as caught:
        load_catalogue().row("gpt-5")
    assert caught.value.exit_code == 4


def test_a_role_without_a_model_is_refused() -> None:
    with pytest.raises(ModelUnknown, match="encoder"):
        parse_catalogue(ROW + SOURCE, "toy.toml").default("encoder")


def test_the_best_model_of_a_role_wins_where_there_is_no_starter() -> None:
    other = ROW.replace('"toy"', '"other"').replace(
        '["generator", "lookahead"]', '["lookahead", "generator"]'
    )
    catalogue = parse_catalogue(other + SOURCE + ROW + SOURCE, "toy.toml")
    assert catalogue.default("generator").id == "toy"
    assert catalogue.default("lookahead").id == "other"


def test_hub_and_file_sources_are_read() -> None:
    hub = (
        f'[[model.source]]\nkind = "hub"\nrepo = "a/b"\nrevision = "{"a" * 40}"\nfile = "f.gguf"\n'
    )
    local = '[[model.source]]\nkind = "file"\npath = "/models/f.gguf"\n'
    row = parse_catalogue(ROW + hub + local + EXTRA, "toy.toml").row("toy")
    assert row.sources == (HubSource("a/b", "a" * 40, "f.gguf"), FileSource("/models/f.gguf"))
    assert row.total_size == 13
    assert not row.starter


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("context = 128", "context = 128\nlicense = 'MIT'", "not known: license"),
        ('kind = "index"', 'kind = "index"\nurl = "x"', "not known: url"),
        ('file = "sub/', 'mode = 1\nfile = "sub/', "not known: mode"),
        ("[[model]]", "[models]\n[[model]]", "not known: models"),
        ("size = 10", "", "lacks the key 'size'"),
        ("size = 10", "size = 0", "not a positive integer"),
        ("size = 10", "size = true", "not a positive integer"),
        ("size = 10", "size = 10\nreaction_layer = 1.5", "not a positive integer"),
        ("size = 10", "size = 10\nyes_bias = 'much'", "not a number"),
        ("size = 10", "size = 10\nadapter = 'none.gguf'", "does not ship"),
        ("verified = false", 'verified = "no"', "not true or false"),
        ('id = "toy"', 'id = "../toy"', "not of the form"),
        ('file = "toy.gguf"', 'file = "../toy.gguf"', "leaves the model's folder"),
        ('file = "toy.gguf"', 'file = "/toy.gguf"', "leaves the model's folder"),
        ('file = "toy.gguf"', 'file = ".lock"', "leaves the model's folder"),
        ('"generator", "lookahead"', '"writer"', "not a list of lookahead"),
        (
            'requirement = "toy==1.0", sha256',
            'requirement = "toy==1.0", sha',
            "lacks the key 'sha256'",
        ),
        ('kind = "index"', 'kind = "ftp"', "not one of index, hub, file"),
        ('"toy==1.0"', '"toy>=1.0"', "not of the form"),
        ('"toy==1.0"', '"toy==1.0 --index-url=x"', "not of the form"),
        ("0" * 64, "0" * 63, "not of the form"),
        ("[[model.source]]", "[[model.sauce]]", "lacks the key 'source'"),
        ("[[model]]", "[[model", "is not TOML"),
        ("intercept = -1", "", "confidence lacks the key 'intercept'"),
        ("judged = 0.5", "Judged = 0.5", "not a number by lower-case name"),
        ("judged = 0.5", 'judged = "0.5"', "not a number"),
        ("judged = 0.5", "judged = true", "not a number"),
        ("judged = 0.5", "judged = nan", "not a number"),
        ("judged = 2.5", "judged = inf", "typical has judged = inf, not a number"),
        ("[model.confidence.typical]", "[model.confidence.usual]", "not a number"),
        ("[model.confidence.typical]", "[[model.confidence.typical]]", "that is not a table"),
    ],
)
def test_a_row_that_is_not_as_documented_is_refused(old: str, new: str, complaint: str) -> None:
    text = (ROW + SOURCE + EXTRA + CONFIDENCE).replace(old, new, 1)
    with pytest.raises(CatalogueInvalid, match=r"toy\.toml") as caught:
        parse_catalogue(text, "toy.toml")
    assert complaint in caught.value.message
    assert caught.value.exit_code == 2


def test_the_confidence_of_a_generator_is_read_and_a_row_stays_hashable() -> None:
    row = parse_catalogue(ROW + SOURCE + CONFIDENCE, "toy.toml").row("toy")
    assert row.confidence == {"intercept": -1.0, "judged": 0.5}
    assert row.typical == {"judged": 2.5}
    assert {row, replace(row)} == {row}
    plain = parse_catalogue(ROW + SOURCE, "toy.toml").row("toy")
    assert (plain.confidence, plain.typical) == ({}, {})


def test_a_row_is_written_with_its_confidence() -> None:
    local = '[[model.source]]\nkind = "file"\npath = "/models/f.gguf"\n'
    row = parse_catalogue(ROW + local + CONFIDENCE, "toy.toml").row("toy")
    assert parse_catalogue(row_text(row), "toy.toml").row("toy") == row


def test_two_rows_with_one_id_are_refused() -> None:
    with pytest.raises(CatalogueInvalid, match="two models with the id 'toy'"):
        parse_catalogue(ROW + SOURCE + ROW + SOURCE, "toy.toml")


def test_offline_variables_override_what_the_environment_says() -> None:
    environ = {"HF_HUB_OFFLINE": "0", "HOME": "/home/ada"}
    set_offline_environment(environ)
    assert environ["HF_HUB_OFFLINE"] == environ["TRANSFORMERS_OFFLINE"] == "1"
    assert environ["ORT_DISABLE_TELEMETRY"] == environ["DO_NOT_TRACK"] == "1"
    assert environ["HOME"] == "/home/ada"
