"""Text comes out whole: no half characters, no part of a stop string."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.decoding.text_stream import TextStream, Thoughts


def run(chunks: list[bytes], stop: list[str]) -> tuple[str, str | None]:
    stream, out = TextStream(stop), ""
    for chunk in chunks:
        out += stream.feed(chunk)
        if stream.finished:
            return out, stream.finished
    return out + stream.end("length"), stream.finished


def test_a_character_split_over_tokens_waits() -> None:
    stream = TextStream([])
    assert stream.feed("é".encode()[:1]) == ""
    assert stream.feed("é".encode()[1:]) == "é"


def test_a_stop_string_split_over_tokens_is_cut() -> None:
    assert run([b"yes\nQu", b"estion: x"], ["\nQuestion:"]) == ("yes", "stop")


def test_the_beginning_of_a_stop_string_is_text_when_it_goes_on_otherwise() -> None:
    assert run([b"a\n", b"b"], ["\nQ"]) == ("a\nb", "length")


@given(st.text(max_size=40), st.integers(1, 5), st.sampled_from(["ab", "\n", "é!"]))
def test_any_cut_into_tokens_gives_the_same_text(text: str, size: int, stop: str) -> None:
    data = text.encode()
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    assert run(chunks, [stop])[0] == text.split(stop)[0]


THOUGHT = "<think>\nAnn or Bob? Ann.\n</think>\n\nAnn it was."


def reply(text: str, size: int, *, thinking: bool = False, stop: tuple[str, ...] = ()) -> str:
    stream = TextStream(stop, Thoughts(thinking=thinking))
    data = text.encode()
    out = ""
    for start in range(0, len(data), size):
        out += stream.feed(data[start : start + size])
        if stream.finished:
            return out
    return out + stream.end("stop")


@given(st.integers(1, 60))
def test_thoughts_are_hidden_however_they_are_cut(size: int) -> None:
    assert reply(THOUGHT, size) == "Ann it was."
    assert reply(f"\n{THOUGHT}", size) == "Ann it was."
    assert reply(THOUGHT.removeprefix("<think>"), size, thinking=True) == "Ann it was."


@given(st.integers(1, 60))
def test_thoughts_that_never_close_are_no_reply(size: int) -> None:
    assert reply("<think> on and on </thin", size) == ""


@given(st.text(alphabet="<think>/ \na", max_size=30), st.integers(1, 5))
def test_a_reply_without_thoughts_is_passed_on_whole(text: str, size: int) -> None:
    if not text.lstrip().startswith("<think>"):
        assert reply(text, size) == text


def test_marks_further_on_are_quoted() -> None:
    assert reply("He wrote <think>hm</think>.", 3) == "He wrote <think>hm</think>."


def test_a_stop_string_in_a_thought_stops_nothing() -> None:
    assert reply("<think>a\n\nb</think>c\n\nd", 2, stop=("\n\n",)) == "c"


def test_the_stream_says_when_it_is_thinking() -> None:
    stream = TextStream([], Thoughts(thinking=False))
    seen = []
    for word in ("<think>", "hm", "</think>", "Yes"):
        stream.feed(word.encode())
        seen.append(stream.thinking)
    assert seen == [True, True, False, False]
