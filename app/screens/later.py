"""What the chat needs only when something is typed or opened.

To import it takes longer than all that comes before the first picture on the screen.
"""

from __future__ import annotations

from app.opening import copied_citation, open_file
from app.screens.agenda import AgendaScreen
from app.screens.compare import CompareScreen, VariantScreen
from app.screens.coverage import CoverageScreen, Remedy
from app.screens.evidence import EvidenceScreen
from app.screens.export import ask_and_export
from app.screens.find import FindScreen
from app.screens.history import HistoryScreen
from app.screens.password import PasswordScreen
from app.screens.preview import PreviewScreen
from app.screens.table import TableScreen
from app.shown.agenda import dated
from app.shown.filter_chips import chips, completions, without
from app.shown.report import size_text
from app.widgets.past_turn import Past, PastTurn
from app.widgets.turn import Told, Turn

__all__ = [
    "AgendaScreen",
    "CompareScreen",
    "CoverageScreen",
    "EvidenceScreen",
    "FindScreen",
    "HistoryScreen",
    "PasswordScreen",
    "Past",
    "PastTurn",
    "PreviewScreen",
    "Remedy",
    "TableScreen",
    "Told",
    "Turn",
    "VariantScreen",
    "ask_and_export",
    "chips",
    "completions",
    "copied_citation",
    "dated",
    "open_file",
    "size_text",
    "without",
]
