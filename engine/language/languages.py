"""Which language texts are written in, by their commonest words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.language.tokens import words

COMMONEST = {
    "English": "the of and to in is that for it was with be are not this from have",
    "German": "der die und das ist nicht den von mit ein eine auf für dem wir ich zu",
    "French": "le les des et est une dans pour pas que qui sur vous nous avec du au",
    "Spanish": "el los las que es una por con para del se no está como más pero su",
    "Italian": "il gli che di è una per non sono con del della anche come più alla nel",
    "Portuguese": "os que não uma para com do da dos das em é por mais como ao você",
    "Dutch": "de het een van en dat niet met voor zijn op aan wij ook maar naar bij",
    "Swedish": "och att det som en är på för med inte av till den har vi om ett",
    "Polish": "nie się jest na że do to jak po za dla od czy przez oraz będzie są",
}
"""Words that are common in one language and hardly known in the others."""
_OF = {language: frozenset(common.split()) for language, common in COMMONEST.items()}


def language_of(texts: Iterable[str]) -> str | None:
    """Return the language that most of the texts are in, None where none of these is found."""
    counted = Counter(word for text in texts for word in words(text))
    found = {language: sum(counted[word] for word in common) for language, common in _OF.items()}
    best = max(found, key=lambda language: found[language])
    return best if found[best] else None


def differ(question: str, texts: Iterable[str]) -> bool:
    """Say whether a question is known to be in another language than most of the texts."""
    asked, read = language_of([question]), language_of(texts)
    return asked is not None and read is not None and asked != read
