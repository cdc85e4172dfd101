"""Bytes to text in whatever encoding, and text to what may be shown."""
# ruff: noqa: RUF001

from __future__ import annotations

import random

import pytest

from ingest.text.clean import clean, clean_line, decode, looks_binary, wide_charset

TEXTS = {
    "German": "Der Grüne Weg führt über die Brücke… „schön“ für Fußgänger, fällig am fünften Tag.",
    "French": "L'été dernier, nous avons loué l'appartement à côté de la forêt, déjà signé.",
    "Spanish": "El señor Muñoz pagó la señal. ¿Cuándo llegará el camión? ¡Está aquí!",
    "Polish": "Zażółć gęślą jaźń. Umowa najmu została podpisana w środę, a opłata wzrośnie.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Nájemní smlouva byla podepsána ve středu.",
    "Hungarian": "Árvíztűrő tükörfúrógép. A bérleti szerződést szerdán írták alá.",
    "Turkish": "Merhaba, nasılsınız? Kira sözleşmesi çarşamba günü imzalandı, güzel bir gün.",
    "Russian": "Привет, как дела? Договор аренды квартиры подписан в среду вечером.",
    "Greek": "Καλημέρα, πώς είστε; Το συμβόλαιο ενοικίασης υπογράφηκε την Τετάρτη.",
    "Hebrew": "שלום, מה שלומך? חוזה השכירות נחתם ביום רביעי והתשלום מתבצע עד החמישי בכל חודש.",
    "Arabic": "مرحبا، كيف حالك؟ تم توقيع عقد الإيجار يوم الأربعاء ويتم الدفع حتى اليوم الخامس.",
    "Japanese": "賃貸契約書です。この部屋の家賃は九万円です。毎月五日までに支払います。",
    "Chinese": "租赁合同于星期三签署，租金在每月五日之前支付。请确认收到这封信，谢谢您的合作。",
    "Taiwanese": "租賃合約於星期三簽署，租金在每月五日之前支付。請確認收到這封信，謝謝您的合作。",
    "Korean": "안녕하세요. 임대 계약은 수요일에 체결되었으며 임대료는 매월 오일까지 지불합니다.",
    "Thai": "สัญญาเช่าลงนามเมื่อวันพุธ และค่าเช่าจะต้องชำระภายในวันที่ห้าของทุกเดือน",
}
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
OWN = {
    "German": ("cp1252", "mac-roman", "utf-32-le", "utf-32-be"),
    "French": ("cp1252", "iso8859-15"),
    "Spanish": ("cp1252", "iso8859-1"),
    "Polish": ("iso8859-2", "cp1250"),
    "Czech": ("iso8859-2", "cp1250"),
    "Hungarian": ("iso8859-2", "cp1250"),
    "Turkish": ("iso8859-9", "cp1254"),
    "Russian": ("koi8-r", "cp1251", "cp866", "iso8859-5"),
    "Greek": ("iso8859-7", "cp1253"),
    "Hebrew": ("cp1255",),
    "Arabic": ("cp1256",),
    "Japanese": ("shift_jis", "euc_jp", "iso2022_jp"),
    "Chinese": ("gb18030", "gb2312"),
    "Taiwanese": ("big5",),
    "Korean": ("euc_kr", "iso2022_kr"),
    "Thai": ("cp874",),
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, name) for language in TEXTS for name in (*UNICODE, *OWN[language])],
)
def test_text_is_read_in_any_encoding(language: str, encoding: str) -> None:
    text = f"{TEXTS[language]}\n" * 2
    data = text.encode(encoding)
    assert decode(data) == text
    assert encoding == "iso2022_kr" or not looks_binary(data)


def test_a_declared_encoding_is_believed_when_it_fits() -> None:
    polish = TEXTS["Polish"]
    assert decode(polish.encode("iso8859-2"), "ISO-8859-2") == polish
    assert decode("grün – 9 €".encode("cp1252"), "iso-8859-1") == "grün – 9 €"
    assert decode("grün".encode(), "us-ascii") == "grün"
    assert decode("grün".encode(), "no-such-charset") == "grün"
    assert decode("grün".encode(), "idna") == "grün"


def test_torn_utf_8_stays_utf_8() -> None:
    text = "Die Wohnung in Zürich ist schön.\n" * 50
    data = text.encode() + b"torn \xff here\n" + text.encode()
    assert decode(data) == f"{text}torn \ufffd here\n{text}"


def test_the_first_foreign_letters_may_come_late() -> None:
    assert decode(b"a" * 200_000 + "Müller für".encode("cp1252")).endswith("aMüller für")


def test_only_a_sample_is_guessed_from(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def guess(data: bytes) -> object:
        sizes.append(len(data))
        raise LookupError

    monkeypatch.setattr("charset_normalizer.from_bytes", guess)
    with pytest.raises(LookupError):
        decode(TEXTS["Russian"].encode("koi8-r") * 10_000)
    assert sizes == [64 << 10]


def test_numbers_are_no_wide_text() -> None:
    chance = random.Random(1)
    small = b"".join(chance.randrange(300).to_bytes(2, "little") for _ in range(2048))
    large = b"".join(chance.randrange(30_000).to_bytes(4, "little") for _ in range(1024))
    zeros = b"text\0with\0zero bytes in it"
    for data in (small, large, chance.randbytes(4096), bytes(4096), zeros):
        assert wide_charset(data) is None
        assert looks_binary(data)


def test_clean_keeps_newlines_and_joiners_and_counts_the_rest() -> None:
    family = "👨\u200d👩"
    assert clean(f"a\x00b\u202e\U000e0041c\r\n{family}\rd\f") == (f"abc\n{family}\nd ", 3)
    assert clean("می\u200cخواهم") == ("می\u200cخواهم", 0)
    assert clean("re\xadadable") == ("readable", 0)
    assert clean("\ud800x")[0] == "\ufffdx"
    assert clean("\x1b[1;31mred\x1b[0m \x9b2Jx")[0] == "red x"
    assert clean("\x1b]0;title\x07text\x1b]8;;https://x.invalid\x1b\\link")[0] == "textlink"
    assert clean_line(" a\n\tb\u2028c ") == "a b c"


@pytest.mark.parametrize("around", ["plain", "größer", "больше", "漢字", "😀"])
@pytest.mark.parametrize(
    "odd", [*"\x00\x07\x7f\x85\u061c\u200b\u200e\u202a\u2028\u2066\ufeff", "\U000e0061"]
)
def test_what_may_not_be_shown_is_found_beside_any_letters(around: str, odd: str) -> None:
    text, _ = clean(f"{around} {odd}{around}")
    assert odd not in text
    assert text.replace(" ", "") == around * 2
