"""Which shelf a mail lies on, by folder, flags and labels: Trash, Spam, Drafts; or Sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unicodedata import normalize

from ingest.item import Shelf

_NAMES = {
    Shelf.TRASH: (
        "trash|deleted|deleted items|deleted messages|papierkorb|gelöscht|gelöschte elemente"
        "|gelöschte objekte|corbeille|éléments supprimés|messages supprimés|papelera"
        "|papelera de reciclaje|elementos eliminados|cestino|posta eliminata|elementi eliminati"
        "|lixeira|lixo|itens excluídos|itens eliminados|prullenbak|verwijderde items"
        "|papperskorg|papperskorgen|borttaget|papirkurv|slettet post|roskakori|kosz"
        "|elementy usunięte|koš|odstraněná pošta|корзина|удаленные|удалённые"
        "|已删除邮件|已刪除的郵件|垃圾桶|ゴミ箱|削除済みアイテム|çöp kutusu"
    ),
    Shelf.SPAM: (
        "spam|junk|junk e-mail|junk email|junk mail|bulk mail|junk-e-mail|unerwünscht|spamverdacht"
        "|indésirables|courrier indésirable|pourriel|correo no deseado|no deseado"
        "|posta indesiderata|indesiderata|lixo eletrônico|lixo eletrónico|ongewenst"
        "|ongewenste e-mail|ongewenste reclame|skräppost|søppelpost|uønsket mail|uønsket e-post"
        "|roskaposti|wiadomości-śmieci|nevyžádaná pošta|спам|垃圾邮件|垃圾郵件|迷惑メール"
    ),
    Shelf.DRAFTS: (
        "drafts|draft|entwürfe|entwurf|brouillons|brouillon|borradores|borrador|bozze|bozza"
        "|rascunhos|rascunho|concepten|utkast|kladder|kladde|luonnokset|robocze|wersje robocze"
        "|koncepty|rozepsané|черновики|草稿|草稿箱|下書き|taslaklar"
    ),
}
_SHELVES = {name: shelf for shelf, names in _NAMES.items() for name in names.split("|")}
_SENT = re.compile(
    r"sent(?:[ _-]?(?:items|messages|mail))?|gesendet(?:e elemente|e objekte)?|postausgang"
    r"|envoyés?|éléments envoyés|messages envoyés|enviados|elementos enviados|inviata"
    r"|posta inviata|itens enviados|verzonden(?: items)?|skickat|sendt|wysłane|отправленные"
    r"|已发送|已发送邮件|寄件備份|送信済み"
)
"""Names of folders for sent mail."""
_DEPTH = 4
_SUFFIXES = (".mbox", ".sbd", ".mbx", ".mbs")
_FLAGS = re.compile(r":2,([A-Za-z]*)$|[!;]2,([A-Za-z]*)$")
_DELETED_BY_MOZILLA = 0x0008


@dataclass(frozen=True, slots=True)
class MailPlace:
    """What the place of a file says about its mails."""

    shelf: Shelf | None
    is_sent: bool


@lru_cache(maxsize=256)
def shelved(path: Path) -> MailPlace:
    """Return what the folders of a mailbox, and the flags in a Maildir, say about its mails."""
    flags = _maildir_flags(path)
    if "T" in flags:
        return MailPlace(Shelf.TRASH, False)
    names = [name for part in _mailbox(path).parts[-_DEPTH:] for name in _folder_names(part)]
    found = [_SHELVES[name] for name in names if name in _SHELVES]
    shelf = Shelf.DRAFTS if "D" in flags else found[-1] if found else None
    return MailPlace(shelf, any(_SENT.fullmatch(name) for name in names))


def _mailbox(path: Path) -> Path:
    """Return the mailbox of one of Apple Mail's files, however deep; else the path."""
    if path.suffix != ".emlx":
        return path
    return next((one for one in path.parents if one.suffix == ".mbox"), path)


def _maildir_flags(path: Path) -> str:
    if path.parent.name not in {"cur", "new"}:
        return ""
    flags = _FLAGS.search(path.name)
    return (flags[1] or flags[2] or "") if flags else ""


@lru_cache(maxsize=1024)
def _folder_names(part: str) -> tuple[str, ...]:
    """Return the names of a folder: several for `.INBOX.Trash`, `[Gmail].Spam`, `Trash.mbox`."""
    name = normalize("NFC", part).casefold()
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return tuple(dict.fromkeys([name, *(one for one in re.split(r"[._]", name) if one)]))


def shelf_named(folder: str) -> Shelf | None:
    """Return the shelf that a folder name means."""
    return next((_SHELVES[name] for name in _folder_names(folder) if name in _SHELVES), None)


def shelf_of_labels(labels: str) -> Shelf | None:
    """Return the shelf that an X-Gmail-Labels field names."""
    for label in labels.split(","):
        name = label.strip(' "').casefold()
        if name in _SHELVES:
            return _SHELVES[name]
    return None


def is_deleted(mozilla_status: str) -> bool:
    """Say whether Thunderbird deleted a mail that its mailbox still has (X-Mozilla-Status)."""
    try:
        return bool(int(mozilla_status or "0", 16) & _DELETED_BY_MOZILLA)
    except ValueError:
        return False
