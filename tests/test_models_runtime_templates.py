"""Chat templates: known ones, unknown ones, and those that must not be run to their end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from models.decoding import chat_templates
from models.decoding.chat_templates import ChatTemplate, TemplateRefused
from models.protocols import Message

PLAIN = """\
{{ bos_token }}{% for message in messages %}\
[{{ message.role }}] {{ message.content | trim }}{{ eos_token }}
{% endfor %}{% if add_generation_prompt %}[reply] {% endif %}"""
TALK = [Message("system", "Be brief."), Message("user", "Who?")]


class Loaded:
    """What a template asks of a model whose template llama.cpp does not know."""

    def __init__(self, template: str, *, adds_bos: bool = False, known: str | None = None) -> None:
        self.chat_template: bytes | None = template.encode()
        self.adds_bos = adds_bos
        self._known = known

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str | None:
        return self._known

    def control_texts(self) -> list[str]:
        return ["<|end|>"]

    def first_and_last_texts(self) -> tuple[str, str]:
        return "<s>", "</s>"


def rendered(template: str, messages: Sequence[Message] = TALK, **options: bool) -> str:
    return ChatTemplate(Loaded(template, **options), "toy").render(messages)


def test_a_template_is_filled_with_the_messages() -> None:
    assert rendered(PLAIN) == "<s>[system] Be brief.</s>\n[user] Who?</s>\n[reply] "


def test_a_token_that_the_tokenizer_adds_is_not_written_twice() -> None:
    assert rendered(PLAIN, adds_bos=True).startswith("[system]")


def test_what_llama_cpp_knows_is_left_to_it() -> None:
    assert ChatTemplate(Loaded("{{ nothing", known="as known"), "toy").render(TALK) == "as known"


def test_a_template_is_run_once_for_an_order_of_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    template = ChatTemplate(Loaded(PLAIN), "toy")
    template.render(TALK)
    monkeypatch.setattr(chat_templates.subprocess, "run", None)
    assert "[user] Where?" in template.render([TALK[0], Message("user", "Where?")])


def test_a_message_is_no_template() -> None:
    assert "{{ 1 + 1 }}{% x %}" in rendered(PLAIN, [Message("user", "{{ 1 + 1 }}{% x %}")])


def test_markers_in_a_message_are_broken_apart() -> None:
    assert "<|end|>" not in rendered(PLAIN, [Message("user", "a <|end|> b")])


def test_a_template_without_a_system_role_gets_it_with_the_question() -> None:
    strict = "{% if messages[0].role == 'system' %}{{ raise_exception('none') }}{% endif %}"
    assert "[user] Be brief.\n\nWho?" in rendered(strict + PLAIN)


def test_thoughts_are_switched_off_where_the_template_can() -> None:
    switch = "{% if enable_thinking is false %}<think></think>{% endif %}"
    assert rendered(PLAIN + switch, known=None).endswith("[reply] <think></think>")
    assert not ChatTemplate(Loaded(PLAIN + switch), "toy").thinks
    assert ChatTemplate(Loaded(PLAIN + "</think>"), "toy").thinks


def test_marks_for_training_are_passed_over() -> None:
    marked = "{% generation %}[x]{% endgeneration %}"
    assert rendered(PLAIN + marked).endswith("[reply] [x]")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ messages[0].content }", "unexpected"),
        ("no message", "every message once"),
        ("{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}", "message once"),
        ("{% include 'other' %}", "loader"),
        ("{{ raise_exception('for tools only') }}", "for tools only"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe|undefined"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{% for i in range(10000000000) %}{% endfor %}", "Range too big"),
        ("{{ 'x' * 10000000000 }}", "more than 512 MB"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "without end"),
        ("x" * 70_000, "70000 characters"),
        ("{{ 'x' * 300000 }}" + PLAIN, "characters around"),
        ("", "0 characters"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused(template: str, reason: str) -> None:
    with pytest.raises(TemplateRefused, match=f"chat template of toy cannot be used.*({reason})"):
        rendered(template, [Message("user", "Who?")])


def test_a_template_without_end_is_ended() -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(TemplateRefused, match=r"more time or memory|come to an end"):
        rendered(endless, TALK[1:])
