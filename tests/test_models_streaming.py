"""Text comes out whole: no half characters, no part of a stop string."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.streaming import TextStream


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
