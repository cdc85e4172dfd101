"""Words for months, weekdays and units in the languages that answers are checked in.

`engine.language.date_words` reads what people mean by "last Tuesday", in English; here only what
names a day or a unit by itself is told from another. `engine.language.numbers` has the numbers.
"""

from __future__ import annotations

from engine.language import numbers

_MONTHS = (
    "january jan januar jänner janvier janv enero gennaio januari janeiro styczeń stycznia "
    "январь января январе",
    "february feb februar février fevrier févr febrero febbraio februari fevereiro luty lutego "
    "февраль февраля феврале",
    "march mar märz maerz mars marzo maart março marca marzec март марта марте",
    "april apr avril avr abril aprile kwiecień kwietnia апрель апреля апреле",
    "may mai mayo maggio mei maj maio maja май мая мае",
    "june jun juni juin junio giugno junho czerwiec czerwca июнь июня июне",
    "july jul juli juillet juil julio luglio julho lipiec lipca июль июля июле",
    "august aug août aout agosto augustus augusti sierpień sierpnia август августа августе",
    "september sep sept septembre septiembre settembre setembro wrzesień września "
    "сентябрь сентября сентябре",
    "october oct oktober okt octobre octubre ottobre outubro październik października "
    "октябрь октября октябре",
    "november nov novembre noviembre novembro listopad listopada ноябрь ноября ноябре",
    "december dec dezember dez décembre decembre déc diciembre dicembre dezembro grudzień grudnia "
    "декабрь декабря декабре",
)
MONTHS = {word: n for n, row in enumerate(_MONTHS, 1) for word in row.split()}
"""From a month's name, folded, to 1 to 12."""

_WEEKDAYS = (
    "monday mondays montag montags lundi lunes lunedì maandag måndag poniedziałek понедельник",
    "tuesday tuesdays dienstag dienstags mardi martes martedì dinsdag tisdag wtorek вторник",
    "wednesday wednesdays mittwoch mittwochs mercredi miércoles mercoledì woensdag onsdag "
    "środa środę среда среду",
    "thursday thursdays donnerstag donnerstags jeudi jueves giovedì donderdag torsdag "
    "czwartek четверг",
    "friday fridays freitag freitags vendredi viernes venerdì vrijdag fredag "
    "piątek пятница пятницу",
    "saturday saturdays samstag samstags sonnabend samedi sábado sabato zaterdag lördag "
    "sobota sobotę суббота субботу",
    "sunday sundays sonntag sonntags dimanche domingo domenica zondag söndag "
    "niedziela niedzielę воскресенье",
)
WEEKDAYS = {word: n for n, row in enumerate(_WEEKDAYS) for word in row.split()}
"""From a weekday's name, folded, to 0 (Monday) to 6."""
SHORT_WEEKDAYS = {
    word: n
    for n, row in enumerate(
        ("mon mo", "tue tues di", "wed mi", "thu thur thurs do", "fri fr", "sat sa", "sun so")
    )
    for word in row.split()
}
"""Weekdays only where a day follows: "Sun", "so" and "do" are words too."""

ORDINALS = {word: n for word, n in numbers.ORDINALS.items() if n <= 5}
"""Those that a check reads: "sixth" and later ones are seldom counted in words."""

NOON = frozenset(("noon", "midday", "mittag", "mittags", "midi", "mediodía", "mezzogiorno"))
MIDNIGHT = frozenset(("midnight", "mitternacht", "minuit", "medianoche", "mezzanotte"))
CLOCK_WORDS = NOON | MIDNIGHT | {"half", "quarter", "halb", "viertel"}
"""Words that a time begins with, besides numbers."""

SCALES = {
    word: 10**power
    for power, row in (
        (3, "k thousand tausend tsd mille mila mil duizend tys тыс тысяч"),
        (6, "million millions mio mln millionen millones milioni miljoen мн млн"),
        (9, "billion billions bn mrd milliarde milliarden milliard milliards miliardi"),
    )
    for word in row.split()
}

CURRENCIES = {
    word: name
    for name, row in (
        ("euro", "€ eur euro euros евро"),
        ("dollar", "$ us$ usd dollar dollars dólares dollari доллар доллара долларов"),
        ("pound", "£ gbp pound pounds pfund"),
        ("franc", "chf sfr franken franc francs francos franchi"),
        ("yen", "¥ 円 jpy yen"),
        ("yuan", "元 cny rmb yuan"),
        ("rouble", "₽ rub rouble roubles rubel рубль рубля рублей"),
        ("rupee", "₹ inr rupee rupees"),
        ("zloty", "zł pln zloty złoty złotych"),
        ("krona", "sek nok dkk kronor kroner kronen"),
    )
    for word in row.split()
}
UNITS = CURRENCIES | {
    word: name
    for name, row in (
        ("percent", "% percent percentage prozent procent процентов"),
        ("second", "second seconds sec secs sekunde sekunden seconde secondes segundos secondi"),
        ("minute", "minute minutes min mins minuten minutos minuti minuut minut минут"),
        ("hour", "hour hours hr hrs h stunde stunden std heure heures hora horas ora ore часов"),
        ("day", "day days tag tage tagen jour jours día días giorno giorni dag dagen dni дней"),
        ("week", "week weeks woche wochen semaine semaines semana semanas settimana settimane "
                 "weken недель недели"),
        ("month", "month months monat monate monaten mois mes meses mese mesi maand maanden "
                  "месяц месяца месяцев"),
        ("year", "year years jahr jahre jahren ans année années año años anno anni jaar lat "
                 "год года лет"),
        ("gram", "g gram grams gramm grammes gramos grammi"),
        ("milligram", "mg milligram milligrams milligramm"),
        ("kilogram", "kg kilo kilos kilogram kilograms kilogramm"),
        ("pound", "lb lbs"),
        ("ounce", "oz ounce ounces"),
        ("tonne", "tonne tonnes ton tons tonnen"),
        ("millimetre", "mm millimetre millimetres millimeter millimeters"),
        ("centimetre", "cm centimetre centimetres centimeter centimeters zentimeter"),
        ("metre", "m metre metres meter meters mètre mètres metros metri"),
        ("kilometre", "km kilometre kilometres kilometer kilometers kilomètres kilómetros "
                      "chilometri"),
        ("mile", "mile miles meilen milles millas miglia"),
        ("foot", "ft foot feet"),
        ("square metre", "m² m2 qm sqm"),
        ("kilometre an hour", "km/h kmh kph"),
        ("millilitre", "ml millilitre millilitres milliliter milliliters"),
        ("litre", "l litre litres liter liters litros litri"),
        ("degree", "° °c °f degree degrees grad degrés grados gradi"),
        ("megabyte", "mb megabyte megabytes"),
        ("gigabyte", "gb gigabyte gigabytes"),
    )
    for word in row.split()
}  # fmt: skip
"""From a unit's name or sign, folded, to one name. A pound is money or a weight."""

PARTS = {
    "week": ("day", 7),
    "year": ("month", 12),
    "hour": ("minute", 60),
    "minute": ("second", 60),
    "tonne": ("kilogram", 1000),
    "kilogram": ("gram", 1000),
    "kilometre": ("metre", 1000),
    "metre": ("centimetre", 100),
    "litre": ("millilitre", 1000),
}
"""From a unit to the next smaller one, and how many of those make one."""
