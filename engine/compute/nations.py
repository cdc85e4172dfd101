"""What a country and its people are called: a calendar may bear one name, a question another."""

from __future__ import annotations

_NATIONS = """
argentina argentine argentinian|australia australian aussie|austria austrian|belgium belgian
brazil brazilian|bulgaria bulgarian|canada canadian|chile chilean|china chinese
colombia colombian|croatia croatian|czechia czech czech_republic|denmark danish
egypt egyptian|estonia estonian|finland finnish|flanders flemish|france french
germany german|greece greek|hungary hungarian|iceland icelandic|india indian
indonesia indonesian|ireland irish|israel israeli|italy italian|japan japanese
kenya kenyan|korea korean south_korea|latvia latvian|lithuania lithuanian
luxembourg luxembourgish|malaysia malaysian|mexico mexican|morocco moroccan
netherlands dutch holland the_netherlands|new_zealand kiwi|nigeria nigerian
norway norwegian|pakistan pakistani|peru peruvian|philippines philippine filipino
poland polish|portugal portuguese|romania romanian|russia russian|scotland scottish
serbia serbian|singapore singaporean|slovakia slovak slovakian|slovenia slovenian
south_africa south_african|spain spanish|sweden swedish|switzerland swiss
taiwan taiwanese|thailand thai|turkey turkish|ukraine ukrainian
united_kingdom uk british britain great_britain u.k.
united_states us usa american america united_states_of_america u.s.
vietnam vietnamese|wales welsh
"""

ALIASES: dict[str, tuple[str, ...]] = {}
"""From every name of a nation, in small letters, to all its names."""
for _row in _NATIONS.replace("\n", "|").split("|"):
    _names = tuple(name.replace("_", " ") for name in _row.split())
    ALIASES.update(dict.fromkeys(_names, _names))
