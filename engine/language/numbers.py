"""Number words: the one table of them, in the languages that answers are checked in.

Questions are read in English alone: `ENGLISH` and `ORDINALS` are what their grammars look for.
"""

from __future__ import annotations

_NUMBERS = (
    "zero null zéro cero",
    "one eins ein eine einen einem einer un une una uno één jeden",
    "two zwei deux dos twee två dwa два две",
    "three drei trois tres tre drie trzy три",
    "four vier quatre cuatro quattro fyra cztery четыре",
    "five fünf cinq cinco cinque vijf fem pięć пять",
    "six sechs seis zes sześć шесть",
    "seven sieben siete sette zeven sju siedem семь",
    "eight acht huit ocho åtta osiem восемь",
    "nine neun nueve negen nio dziewięć девять",
    "ten zehn dix diez dieci tien tio dziesięć десять",
    "eleven elf onze undici elva",
    "twelve zwölf douze doce dodici twaalf tolv dwanaście",
    "thirteen dreizehn treize trece tredici dertien",
    "fourteen vierzehn quatorze catorce quattordici veertien",
    "fifteen fünfzehn quinze quince quindici vijftien",
    "sixteen sechzehn seize dieciséis sedici zestien",
    "seventeen siebzehn dix-sept diecisiete diciassette zeventien",
    "eighteen achtzehn dix-huit dieciocho diciotto achttien",
    "nineteen neunzehn dix-neuf diecinueve diciannove negentien",
)
_TENS = (
    "twenty zwanzig vingt veinte venti twintig",
    "thirty dreißig dreissig trente treinta trenta dertig",
    "forty vierzig quarante cuarenta quaranta veertig",
    "fifty fünfzig cinquante cincuenta cinquanta vijftig",
    "sixty sechzig soixante sesenta sessanta zestig",
    "seventy siebzig setenta settanta zeventig",
    "eighty achtzig ochenta ottanta tachtig",
    "ninety neunzig noventa novanta negentig",
)


def _number_words() -> dict[str, int]:
    found = {word: n for n, row in enumerate(_NUMBERS) for word in row.split()}
    for ten, row in enumerate(_TENS, 2):
        found |= dict.fromkeys(row.split(), 10 * ten)
        english, german, *_ = row.split()
        for unit in range(1, 10):
            one, eins, *_ = _NUMBERS[unit].split()
            found[f"{one}und{german}"] = found[f"{english}-{one}"] = 10 * ten + unit
            found[f"{eins.removesuffix('s') if unit == 1 else eins}und{german}"] = 10 * ten + unit
    return found


NUMBERS = _number_words()
"""From a number in words, folded, to it. Left out is what is mostly another word: "sept", "due"."""
ARTICLES = frozenset(_NUMBERS[1].split()) | {"a", "an"}
"""What may be 1, and mostly is not."""

ENGLISH = {row.split()[0]: n for n, row in enumerate(_NUMBERS[:11]) if n}
"""From "one" to "ten", the numbers that a question counts with, to 1 to 10."""

_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth"
ORDINALS = {word: n for n, word in enumerate(_ORDINALS.split(), 1)}
"""From "first" to "ninth", in English, to 1 to 9."""
