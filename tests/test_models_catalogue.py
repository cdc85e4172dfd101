"""The packaged catalogue, the strictness of its reader, and the offline variables."""

from __future__ import annotations

import pytest

from models.catalogue import FileSource, HubSource, IndexSource, load_catalogue, parse_catalogue
from models.errors import CatalogueInvalid, ModelUnknown
from models.offline import set_offline_environment

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
EXTRA = f"""
[[model.extra]]
file = "sub/vocab.txt"
size = 3
sha256 = "{"2" * 64}"
member = "toy/vocab.txt"
"""


def test_starter_pair_is_the_default_and_can_be_pulled() -> None:
    catalogue = load_catalogue()
    pair = {catalogue.default("lookahead"), catalogue.default("generator")}
    assert set(catalogue.starter()) == pair
    assert catalogue.default("lookahead").id == "qwen2.5-coder-0.5b-instruct-q4_k_m"
    assert catalogue.default("generator").id == "qwen2.5-coder-1.5b-instruct-q4_k_m"
    assert catalogue.default("encoder").id == "all-minilm-l6-v2"
    assert all(isinstance(row.sources[0], IndexSource) for row in catalogue.rows)
    assert all(row.verified for row in catalogue.rows)


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
        ("verified = false", 'verified = "no"', "not true or false"),
        ('id = "toy"', 'id = "../toy"', "not of the form"),
        ('file = "toy.gguf"', 'file = "../toy.gguf"', "leaves the model's folder"),
        ('file = "toy.gguf"', 'file = "/toy.gguf"', "leaves the model's folder"),
        ('file = "toy.gguf"', 'file = ".lock"', "leaves the model's folder"),
        ('"generator", "lookahead"', '"writer"', "not a list of lookahead"),
        ('kind = "index"', 'kind = "ftp"', "not one of index, hub, file"),
        ('"toy==1.0"', '"toy>=1.0"', "not of the form"),
        ('"toy==1.0"', '"toy==1.0 --index-url=x"', "not of the form"),
        ("0" * 64, "0" * 63, "not of the form"),
        ("[[model.source]]", "[[model.sauce]]", "lacks the key 'source'"),
        ("[[model]]", "[[model", "is not TOML"),
    ],
)
def test_a_row_that_is_not_as_documented_is_refused(old: str, new: str, complaint: str) -> None:
    text = (ROW + SOURCE + EXTRA).replace(old, new, 1)
    with pytest.raises(CatalogueInvalid, match=r"toy\.toml") as caught:
        parse_catalogue(text, "toy.toml")
    assert complaint in caught.value.message
    assert caught.value.exit_code == 2


def test_two_rows_with_one_id_are_refused() -> None:
    with pytest.raises(CatalogueInvalid, match="two models with the id 'toy'"):
        parse_catalogue(ROW + SOURCE + ROW + SOURCE, "toy.toml")


def test_offline_variables_override_what_the_environment_says() -> None:
    environ = {"HF_HUB_OFFLINE": "0", "HOME": "/home/ada"}
    set_offline_environment(environ)
    assert environ["HF_HUB_OFFLINE"] == environ["TRANSFORMERS_OFFLINE"] == "1"
    assert environ["ORT_DISABLE_TELEMETRY"] == environ["DO_NOT_TRACK"] == "1"
    assert environ["HOME"] == "/home/ada"
