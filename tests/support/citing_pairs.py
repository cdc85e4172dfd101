"""Answers that a passage does and does not bear out, in the forms that people and models write.

`SCENES` were written before the rules that judge them were mended; while that was done, only those
of odd number were looked at, but for one answer that a change had lost again.
"""

from __future__ import annotations

from typing import NamedTuple


class Scene(NamedTuple):
    """A passage, a question about it, and what may be answered from it."""

    question: str
    passage: str
    true: tuple[str, ...]
    """Answers it bears out. The marker [1] goes to the end where none is written."""
    false: tuple[str, ...]
    """Answers with something that it does not say, or with the contrary."""


SCENES = (
    # --- yes and no -----------------------------------------------------------------------------
    Scene(
        "May I smoke in the stairwell?",
        "Subject: House rules\n\nDogs and cats are welcome in the flat.\n"
        "Smoking is not permitted in the stairwell.",
        (
            "No, smoking is not permitted in the stairwell.",
            "Smoking is not permitted there.",
        ),
        (
            "Yes, smoking is permitted in the stairwell.",
            "Smoking in the stairwell is permitted.",
        ),
    ),
    Scene(
        "Is the garage included in the rent?",
        "Subject: Flat 4b\n\nHi Lena,\nthe garage is included in the rent, the cellar is extra.\n"
        "Regards, Piotr",
        ("Yes, the garage is included in the rent.", "Yes, it is included."),
        ("No, the garage is not included in the rent.", "The garage isn't included in the rent."),
    ),
    Scene(
        "Did Marta sign the contract?",
        "Marta hasn't signed the contract yet; she wants to see clause 7 first.",
        (
            "No, Marta has not signed the contract yet.",
            "Marta did not sign it yet because she wants to see clause 7.",
        ),
        ("Yes, Marta has signed the contract.", "Marta signed the contract."),
    ),
    Scene(
        "Is the Tuesday rehearsal still on?",
        "The Tuesday rehearsal was not cancelled after all; come at 19:30.",
        (
            "Yes, the Tuesday rehearsal was not cancelled.",
            "The rehearsal was not cancelled; it is at 19:30.",
        ),
        ("The Tuesday rehearsal was cancelled.", "No, the rehearsal was cancelled."),
    ),
    Scene(
        "Darf ich im Hof parken?",
        "Hausordnung\n\nDas Parken im Hof ist nicht erlaubt. Fahrräder stehen im Keller.",
        ("Nein, das Parken im Hof ist nicht erlaubt.", "Das Parken ist dort nicht erlaubt."),
        ("Ja, das Parken im Hof ist erlaubt.", "Das Parken im Hof ist erlaubt."),
    ),
    Scene(
        "Le chauffage est-il compris dans le loyer ?",
        "Le loyer est de 840 euros. Le chauffage n'est pas compris.",
        ("Non, le chauffage n'est pas compris dans le loyer.", "Le chauffage n'est pas compris."),
        ("Oui, le chauffage est compris dans le loyer.", "Le chauffage est compris."),
    ),
    # --- answers that sound like denials --------------------------------------------------------
    Scene(
        "What caused the outage?",
        "Incident 88: the outage lasted 40 minutes. The cause is unknown.",
        ("The cause is unknown.", "The cause of the outage is unknown."),
        ("The outage was caused by a broken switch.", "The outage lasted 14 minutes."),
    ),
    Scene(
        "To whom may I give the key?",
        "Never give the key to Ben. Anna at number 9 has a spare.",
        ("Never give the key to Ben.", "Anna at number 9 has a spare key."),
        ("Give the key to Ben.", "Anna at number 19 has a spare key."),
    ),
    # --- parts of numbers -----------------------------------------------------------------------
    Scene(
        "How much is the deposit?",
        "The deposit is 2,700 euros and the monthly rent 1,350 euros. Reference 45-118.",
        ("The deposit is 2,700 euros.", "The deposit is 2.700 €."),
        ("The deposit is 700 euros.", "The deposit is 350 euros."),
    ),
    Scene(
        "Wie hoch ist die Kaution?",
        "Kaution: 3'150.50 CHF. Miete: 1'050.00 CHF, zahlbar bis 15. des Monats.",
        ("Die Kaution beträgt 3150.50 CHF.", "Die Kaution beträgt 3'150.50 Franken."),
        ("Die Kaution beträgt 150.50 CHF.", "Die Kaution beträgt 315.50 CHF."),
    ),
    Scene(
        "What was the revenue last year?",
        "Revenue was 4.2 million dollars, costs 3.9 million dollars. The margin fell by 3 percent.",
        ("Revenue was $4.2 million.", "Revenue was 4,200,000 dollars."),
        ("Revenue was 4.2 thousand dollars.", "Revenue was 42 million dollars."),
    ),
    Scene(
        "How cold was it at the hut?",
        "Log of 12 January\n\nAt the hut it was -7 °C at 6:00, wind 40 km/h.",
        ("It was -7 °C at the hut.", "It was minus 7 degrees at the hut."),
        ("It was 7 °C at the hut.", "It was 40 °C at the hut."),
    ),
    Scene(
        "Which room is the workshop in?",
        "Date: 11 March 2026\nSubject: Workshop\n\nThe workshop is in room 204 with 18 people.",
        ("The workshop is in room 204.", "It is in Room 204."),
        ("The workshop is in room 11.", "The workshop is in room 20."),
    ),
    Scene(
        "What is the invoice number?",
        "Invoice 2026-0417\nDated 03.04.2026\n\nTotal 1.284,90 EUR, due within 14 days.",
        (
            "The invoice number is 2026-0417.",
            "The total of invoice 2026-0417 is 1,284.90 EUR.",
        ),
        ("The invoice number is 0471.", "The total of the invoice is 284.90 EUR."),
    ),
    # --- numbers in words -----------------------------------------------------------------------
    Scene(
        "How many guests come?",
        "23 guests have confirmed for the wedding, 4 have declined.",
        ("Twenty-three guests have confirmed.", "23 guests come to the wedding."),
        ("Thirty-two guests have confirmed.", "Forty guests have confirmed."),
    ),
    Scene(
        "Wie lang ist die Kündigungsfrist?",
        "Die Kündigungsfrist beträgt drei Monate zum Quartalsende.",
        ("Die Kündigungsfrist beträgt 3 Monate.", "Drei Monate zum Quartalsende."),
        ("Die Kündigungsfrist beträgt 6 Monate.", "Die Kündigungsfrist beträgt drei Wochen."),
    ),
    Scene(
        "What discount do members get?",
        "Members get 15% off in the shop; students 10%.",
        ("Members get 15 percent off.", "Members get a discount of fifteen percent."),
        ("Members get 50 percent off.", "Members get 5% off."),
    ),
    Scene(
        "How long is the ferry ride?",
        "The ferry leaves at 7:45 and takes 1.5 hours; bikes cost 6 EUR.",
        ("The ferry takes 1.5 hours.", "The ferry ride takes 1½ hours."),
        ("The ferry takes 15 hours.", "The ferry takes 5 hours."),
    ),
    Scene(
        "How long is the dinner?",
        "Dinner: Sat 19:00-21:30 (2 h 30 min). The walk home took half an hour.",
        (
            "The dinner takes 2 hours and 30 minutes.",
            "The dinner takes 2.5 hours.",
            "The dinner takes two and a half hours.",
            "The dinner takes 150 minutes.",
        ),
        ("The dinner takes 2 hours.", "The dinner takes 3 hours 30 minutes."),
    ),
    # --- dates ----------------------------------------------------------------------------------
    Scene(
        "When does the passport expire?",
        "Passport no. X4471902, issued 14.02.2021, valid until 13.02.2031.",
        (
            "The passport is valid until 13 February 2031.",
            "The passport expires on February 13, 2031.",
        ),
        (
            "The passport is valid until 14 February 2031.",
            "The passport is valid until 13 March 2031.",
        ),
    ),
    Scene(
        "When is the dentist appointment?",
        "Your appointment with Dr. Weiss: 2027-05-03, 14:30, Hafenstrasse 8.",
        (
            "The appointment is on 3 May 2027 at 14:30.",
            "The dentist appointment is on May 3 at 2:30 pm.",
        ),
        (
            "The appointment is on 5 March 2027 at 14:30.",
            "The appointment is on 3 May 2027 at 4:30 pm.",
        ),
    ),
    Scene(
        "Wann endet der Mietvertrag?",
        "Der Mietvertrag endet am 30. Juni 2027. Er begann am 1. Juli 2022.",
        ("Der Mietvertrag endet am 30. Juni 2027.", "Er endet am 30.06.2027."),
        (
            "Der Mietvertrag endet am 30. September 2027.",
            "Der Mietvertrag endet am 30. Juni 2029.",
        ),
    ),
    Scene(
        "Quand a lieu la réunion ?",
        "La réunion du conseil aura lieu le 12 février 2027 à 18h30, salle 4.",
        (
            "La réunion a lieu le 12 février 2027.",
            "La réunion aura lieu le 12/02/2027 à 18:30.",
        ),
        (
            "La réunion aura lieu le 12 avril 2027.",
            "La réunion aura lieu le 12 février 2027 à 8h30.",
        ),
    ),
    Scene(
        "¿Cuándo vence el contrato?",
        "El contrato vence el 8 de agosto de 2028 y se firmó el 2 de mayo.",
        ("El contrato vence el 8 de agosto de 2028.", "Vence el 08/08/2028."),
        ("El contrato vence el 8 de enero de 2028.", "El contrato vence el 8 de mayo de 2028."),
    ),
    Scene(
        "Quando è la consegna?",
        "La consegna è prevista per il 5 ottobre 2026 alle 9:15 in via Roma 3.",
        (
            "La consegna è prevista per il 5 ottobre 2026.",
            "La consegna è il 5 ottobre alle 9:15.",
        ),
        (
            "La consegna è prevista per il 5 marzo 2026.",
            "La consegna è prevista per il 15 ottobre 2026.",
        ),
    ),
    Scene(
        "When is the retreat?",
        "The retreat runs from June 21st to June 24th, 2027.",
        (
            "The retreat runs from 21 June to 24 June 2027.",
            "The retreat starts on the 21st of June.",
        ),
        (
            "The retreat runs from 21 July to 24 July 2027.",
            "The retreat starts on 22 June.",
        ),
    ),
    Scene(
        "When do we meet?",
        "Let's meet on Tuesday 4 May 2027 at noon in the Kantine.",
        (
            "You meet on Tuesday 4 May 2027 at noon.",
            "The meeting is on Tue 4 May at 12:00.",
        ),
        (
            "You meet on Wednesday 4 May 2027 at noon.",
            "You meet on Tuesday 4 May 2027 at midnight.",
        ),
    ),
    Scene(
        "On which day is the bin collected?",
        "From June on, the green bin is collected on Thursdays, the black one every second Monday.",
        (
            "The green bin is collected on Thursday.",
            "The green bin is collected on Thursdays from June on.",
        ),
        (
            "The green bin is collected on Friday.",
            "The green bin is collected on Wednesdays.",
        ),
    ),
    Scene(
        "Wann beginnt die Probe?",
        "Die Probe beginnt am Freitag um 19 Uhr im Gemeindesaal und endet um 21:30.",
        ("Die Probe beginnt am Freitag um 19:00.", "Die Probe beginnt um 19 Uhr."),
        ("Die Probe beginnt um 9 Uhr.", "Die Probe beginnt am Samstag um 19 Uhr."),
    ),
    Scene(
        "When does the call start?",
        "The call with Osaka starts at 4 pm, Berlin time, on 9 Nov.",
        ("The call starts at 16:00.", "The call starts at 4:00 p.m. on 9 November."),
        ("The call starts at 4 am.", "The call starts at 14:00."),
    ),
    Scene(
        "What time is lunch?",
        "Lunch is served at 12:30, tea at 15:45.",
        ("Lunch is at half past twelve.", "Lunch is served at 12.30."),
        ("Lunch is at 1:30 pm.", "Lunch is served at 2:30."),
    ),
    # --- numbers that are names -----------------------------------------------------------------
    Scene(
        "What is the plumber's phone number?",
        "Plumber: Kaya & Sons, 030 / 447 21 90, mobile 0171-5580032",
        (
            "The plumber's phone number is 0304472190.",
            "Call the plumber at +49 30 4472190.",
        ),
        (
            "The plumber's phone number is 0304472191.",
            "The plumber's number is 447 21 09.",
        ),
    ),
    Scene(
        "What is the IBAN of the club?",
        "Please transfer the fee to DE44 5001 0517 5407 3249 31 (Ruderclub Nord).",
        (
            "The IBAN is DE44500105175407324931.",
            "The IBAN of the club is DE44 5001 0517 5407 3249 31.",
        ),
        (
            "The IBAN is DE44500105175407324913.",
            "The IBAN is DE44 5001 0517 5407 3249.",
        ),
    ),
    # --- names ----------------------------------------------------------------------------------
    Scene(
        "Who signed for the landlord?",
        "Signed for the landlord: Jürgen Kröger, 2 April. For the tenant: Inês Duarte.",
        (
            "Jurgen Kroger signed for the landlord.",
            "Jürgen Kröger signed for the landlord.",
        ),
        (
            "Joachim Kröger signed for the landlord.",
            "Jürgen Krüger signed for the landlord.",
        ),
    ),
    Scene(
        "Who takes the minutes?",
        "Dana Okafor takes the minutes; Danica Bell brings cake.",
        ("Dana Okafor takes the minutes.", "It is Dana Okafor."),
        ("Danuta Okafor takes the minutes.", "Dora Okafor takes the minutes."),
    ),
    Scene(
        "Who is the new treasurer?",
        "The members elected Zoë O\u2019Brien as treasurer and Łukasz Nowak as secretary.",
        ("Zoe O'Brien is the new treasurer.", "The new treasurer is Zoë O\u2019Brien."),
        ("Chloe O'Brien is the new treasurer.", "The new treasurer is Zoë Bryan."),
    ),
    Scene(
        "Wer übernimmt die Vertretung?",
        "Während meiner Abwesenheit vertritt mich Frau Straßmann (Durchwahl 412).",
        ("Frau Strassmann übernimmt die Vertretung.", "Frau Straßmann, Durchwahl 412."),
        ("Frau Stratmann übernimmt die Vertretung.", "Frau Straßmann, Durchwahl 421."),
    ),
    # --- units and currencies -------------------------------------------------------------------
    Scene(
        "What does the kayak tour cost?",
        "The kayak tour costs 85 dollars per person and lasts three hours; dogs pay 10 dollars.",
        ("The kayak tour costs $85 per person.", "The kayak tour costs 85 USD."),
        ("The kayak tour costs 85 euros per person.", "The kayak tour lasts three days."),
    ),
    Scene(
        "How much flour do I need?",
        "Dough: 500g flour, 300 ml water, 7 g yeast. Rest for 2 h.",
        ("You need 500 g of flour.", "You need 500 grams of flour and 300 ml of water."),
        ("You need 500 kg of flour.", "You need 500 ml of flour."),
    ),
    Scene(
        "Was kostet die Reparatur?",
        "Kostenvoranschlag: Reparatur der Pumpe 480 €, Anfahrt 35 €, Dauer 2 Tage.",
        (
            "Die Reparatur kostet 480 Euro.",
            "Die Reparatur der Pumpe kostet 480 EUR und dauert 2 Tage.",
        ),
        ("Die Reparatur kostet 480 Franken.", "Die Reparatur dauert 2 Wochen."),
    ),
    Scene(
        "How far is the hut from the station?",
        "From the station it is 6 km to the hut, about 2 hours on foot.",
        (
            "The hut is 6 kilometres from the station.",
            "It takes about two hours on foot.",
        ),
        ("The hut is 6 miles from the station.", "It takes about two minutes on foot."),
    ),
    # --- lists ----------------------------------------------------------------------------------
    Scene(
        "What should I buy?",
        "Please buy milk, eggs and 2 lemons. Batteries too if there are any.",
        ("1. Milk [1]\n2. Eggs [1]\n3. Batteries [1]", "- Milk [1]\n- Eggs [1]\n- 2 lemons [1]"),
        ("1. Milk [1]\n2. Butter [1]", "You should buy milk and 5 lemons."),
    ),
    Scene(
        "Was steht auf der Tagesordnung?",
        "Tagesordnung: 1. Begrüßung 2. Haushalt 2027 3. Wahlen 4. Verschiedenes",
        (
            "1. Begrüßung [1]\n2. Haushalt 2027 [1]\n3. Wahlen [1]\n4. Verschiedenes [1]",
            "Begrüßung, Haushalt 2027, Wahlen und Verschiedenes.",
        ),
        ("1. Begrüßung [1]\n2. Haushalt 2028 [1]", "Begrüßung, Satzung und Wahlen."),
    ),
    # --- an answer in another language ----------------------------------------------------------
    Scene(
        "Wie hoch ist die Miete?",
        "The rent is 900 euros a month, payable by the 3rd.",
        (
            "Die Miete beträgt 900 Euro im Monat.",
            "Die Miete von 900 Euro ist monatlich zu zahlen.",
        ),
        (
            "Die Miete beträgt 950 Euro im Monat.",
            "Die Miete beträgt 900 Franken im Monat.",
        ),
    ),
    Scene(
        "When does the lease end?",
        "Der Mietvertrag für die Wohnung in der Lindenallee 12 endet am 30. Juni 2027.",
        (
            "The lease ends on 30 June 2027.",
            "The lease for the flat at Lindenallee 12 ends on 30 June 2027.",
        ),
        (
            "The lease ends on 30 July 2027.",
            "The lease for the flat at Lindenallee 21 ends on 30 June 2027.",
        ),
    ),
    Scene(
        "Where is the clinic?",
        "La clinique du Dr Moreau se trouve au 14 rue Pasteur à Lyon, tél. 04 72 11 90 05.",
        (
            "The clinic of Dr Moreau is at 14 rue Pasteur in Lyon.",
            "The clinic is in Lyon; its phone number is 04 72 11 90 05.",
        ),
        (
            "The clinic of Dr Moreau is at 14 rue Pasteur in Paris.",
            "The clinic is in Lyon; its phone number is 04 72 11 90 50.",
        ),
    ),
    Scene(
        "¿Cuándo sale el tren?",
        "Your train to Sevilla leaves on 17 April 2027 at 08:05 from platform 6.",
        (
            "El tren a Sevilla sale el 17 de abril de 2027 a las 8:05.",
            "Sale a las 08:05 del andén 6.",
        ),
        (
            "El tren sale el 17 de agosto de 2027.",
            "El tren a Granada sale el 17 de abril de 2027.",
        ),
    ),
    # --- longer answers -------------------------------------------------------------------------
    Scene(
        "What did the surveyor find?",
        "Subject: Survey of 9 Mill Lane\n\nThe surveyor, Priya Nair, found damp in two rooms and "
        "a cracked lintel above the back door. Repairs would cost about 6,400 pounds. "
        "She advises to wait until spring.",
        (
            "Priya Nair found damp in two rooms and a cracked lintel above the back door.",
            "The surveyor found damp in two rooms; repairs would cost about £6,400.",
        ),
        ("The surveyor found damp in three rooms.", "Repairs would cost about £64,000."),
    ),
    Scene(
        "What did we decide about the roof?",
        "Minutes, 6 September 2026: The roof will be renewed in spring 2027 by Tegel Dachbau "
        "for 38,500 euros. Vote: 11 for, 2 against.",
        (
            "The roof will be renewed in spring 2027 by Tegel Dachbau for 38,500 euros.",
            "Eleven voted for it and two against.",
        ),
        (
            "The roof will be renewed in spring 2028.",
            "The roof will be renewed for 83,500 euros by Tegel Dachbau.",
        ),
    ),
    # --- a month alone, and more languages ------------------------------------------------------
    Scene(
        "When does the kindergarten close for holidays?",
        "The kindergarten closes in August for three weeks and reopens on 1 September.",
        (
            "The kindergarten closes in August for three weeks.",
            "It closes for 3 weeks in August.",
        ),
        (
            "The kindergarten closes in July for three weeks.",
            "It closes for three months in August.",
        ),
    ),
    Scene(
        "Wann ist das Sommerfest?",
        "Das Sommerfest findet im Juli statt, Anmeldung bis Mittwoch, 9. Juni, bei Frau Yilmaz.",
        (
            "Das Sommerfest findet im Juli statt.",
            "Anmeldung bis 9. Juni bei Frau Yilmaz.",
        ),
        (
            "Das Sommerfest findet im August statt.",
            "Anmeldung bis Montag, 9. Juni, bei Frau Yilmaz.",
        ),
    ),
    Scene(
        "Когда заканчивается договор?",
        "Договор аренды заканчивается 15 мая 2028 года, плата 42 000 рублей.",
        (
            "Договор аренды заканчивается 15 мая 2028 года.",
            "Плата составляет 42 000 рублей.",
        ),
        (
            "Договор аренды заканчивается 15 июня 2028 года.",
            "Плата составляет 24 000 рублей.",
        ),
    ),
    Scene(
        "Wanneer is de vergadering?",
        "De vergadering is op maandag 8 maart 2027 om 20.00 uur in zaal 3.",
        (
            "De vergadering is op maandag 8 maart 2027 om 20.00 uur.",
            "De vergadering is op 8 maart om 20:00 in zaal 3.",
        ),
        (
            "De vergadering is op maandag 8 mei 2027.",
            "De vergadering is op dinsdag 8 maart 2027.",
        ),
    ),
    Scene(
        "会议什么时候开始?",
        "会议于2027年3月5日下午3点在三号楼举行。",
        ("会议于2027年3月5日举行。", "会议在三号楼举行。"),
        ("会议于2027年5月3日举行。", "会议于2028年3月5日举行。"),
    ),
    Scene(
        "家賃はいくらですか",
        "家賃は月額85,000円で、毎月27日に引き落とされます。",
        ("家賃は月額85,000円です。", "家賃は85,000円です。"),
        ("家賃は月額58,000円です。", "家賃は月額5,000円です。"),
    ),
)

BOAT = (
    "From: Erik Sund\nTo: Mia\n\nHi Mia, the boat is not ready yet. The engine arrives on 12 March "
    "and the mast was delivered on Monday. I don't think we can sail before Easter. Erik"
)
RELEASE = (
    "Release notes 4.2.1: fixed 3 crashes, start-up is 40% faster. "
    "Python 3.9 is no longer supported."
)

MORE = (
    Scene(
        "What did Erik write about the boat?",
        BOAT,
        ("Erik wrote that the boat is not ready yet and that the engine arrives on 12 March.",),
        (),
    ),
    Scene(
        "When does the engine arrive?",
        BOAT,
        ("The engine arrives on 12 March.",),
        (),
    ),
    Scene(
        "Was the mast delivered?",
        BOAT,
        ("Yes, the mast was delivered on Monday.",),
        ("No, the mast was not delivered on Monday.",),
    ),
    Scene(
        "Is the boat ready?",
        BOAT,
        (),
        ("Yes, the boat is ready.",),
    ),
    Scene(
        "How many people come to dinner?",
        "We are going to be 8 for dinner on Saturday, maybe 9 if Lea can make it.",
        ("8 people come to dinner, maybe 9.", "Eight people, maybe nine if Lea can make it."),
        ("Ten people come to dinner on Saturday.",),
    ),
    Scene(
        "What is the total of the invoice?",
        "Pos Item Qty Price\n1 Bolts 200 18.00\n2 Hinges 12 54.00\nTotal EUR 72.00\nVAT 19% 13.68",
        ("The total of the invoice is 72 euros.",),
        ("The total of the invoice is 27 euros.",),
    ),
    Scene(
        "When was the mail sent?",
        "Date: Fri, 23 Mar 2001 09:14:00 -0800\nFrom: Ann\n\nPlease see attached.",
        ("The mail was sent on March 23, 2001.", "It was sent on Friday, 23 March 2001 at 9:14."),
        ("The mail was sent on March 13, 2001.",),
    ),
    Scene(
        "Who is the contact person?",
        "Contact: Ms. Amara Diallo (amara.diallo@example.org), phone ext. 4417",
        (
            "The contact person is Amara Diallo.",
            "Contact Amara Diallo at amara.diallo@example.org.",
            "Ms. Diallo, extension 4417.",
        ),
        ("Contact Amara Diallo at extension 4471.",),
    ),
    Scene(
        "When can I collect the parcel?",
        "You can collect your parcel between 9:00 and 17:30 from 3 to 10 June at Dock 2.",
        (
            "You can collect it from 3 June to 10 June between 9 am and 5:30 pm.",
            "You can collect it between 3 and 10 June at Dock 2.",
        ),
        (
            "You can collect it from 3 July to 10 July.",
            "You can collect it from 3 June to 12 June.",
        ),
    ),
    Scene(
        "Why was the order late?",
        "The order was late because the truck broke down near Lyon; nobody was hurt.",
        ("The order was late because the truck broke down near Lyon.",),
        (),
    ),
    Scene(
        "Was anybody hurt?",
        "The order was late because the truck broke down near Lyon; nobody was hurt.",
        ("No, nobody was hurt.",),
        ("Yes, the driver was hurt.",),
    ),
    Scene(
        "What do I have to bring?",
        "Please bring: passport, 2 photos, proof of address. Do not bring cash.",
        (
            "You have to bring your passport, two photos and proof of address.",
            "Bring a passport, 2 photos and proof of address, but do not bring cash.",
        ),
        ("Bring cash.",),
    ),
    Scene(
        "Was kostet das Ticket?",
        "Das Ticket kostet 12,50 EUR, ermäßigt 8 EUR. Kinder unter 6 Jahren fahren kostenlos.",
        (
            "Das Ticket kostet 12,50 Euro, ermäßigt 8 Euro.",
            "Das Ticket kostet 12.50 € und ermäßigt 8 €.",
        ),
        ("Das Ticket kostet 2,50 Euro.",),
    ),
    Scene(
        "Fahren Kinder kostenlos?",
        "Das Ticket kostet 12,50 EUR, ermäßigt 8 EUR. Kinder unter 6 Jahren fahren kostenlos.",
        ("Ja, Kinder unter sechs Jahren fahren kostenlos.",),
        ("Kinder unter 16 Jahren fahren kostenlos.",),
    ),
    Scene(
        "Wer hat den Schlüssel?",
        "Den Schlüssel hat Frau Novak im 2. Stock, nicht mehr Herr Baum.",
        (
            "Frau Novak im 2. Stock hat den Schlüssel.",
            "Den Schlüssel hat Frau Novak, nicht mehr Herr Baum.",
        ),
        (
            "Frau Nowotny im 2. Stock hat den Schlüssel.",
            "Frau Novak im 3. Stock hat den Schlüssel.",
        ),
    ),
    Scene(
        "What changed in version 4.2?",
        RELEASE,
        ("Start-up is 40 % faster and 3 crashes were fixed.",),
        (),
    ),
    Scene(
        "Is Python 3.9 supported?",
        RELEASE,
        ("No, Python 3.9 is no longer supported.",),
        ("Yes, Python 3.9 is supported.",),
    ),
    Scene(
        "What changed?",
        RELEASE,
        (),
        ("Start-up is 40 seconds faster.",),
    ),
    Scene(
        "When was Ada born?",
        "Ada Brandt (born 7 Oct 1962 in Aarhus) led the institute from 1999 to 2012.",
        ("Ada Brandt was born on October 7, 1962 in Aarhus.", "She was born in 1962."),
        ("Ada Brandt was born on October 7, 1926 in Aarhus.", "Ada Brandt was born in Odense."),
    ),
    Scene(
        "How long did she lead it?",
        "Ada Brandt (born 7 Oct 1962 in Aarhus) led the institute from 1999 to 2012.",
        ("She led the institute from 1999 until 2012.",),
        (),
    ),
    Scene(
        "¿Cuánto cuesta la entrada?",
        "La entrada cuesta 7 €, los domingos es gratis. No se admiten perros.",
        ("La entrada cuesta 7 euros.",),
        (),
    ),
    Scene(
        "¿Se admiten perros?",
        "La entrada cuesta 7 €, los domingos es gratis. No se admiten perros.",
        ("No, no se admiten perros.",),
        ("Sí, se admiten perros.",),
    ),
    Scene(
        "¿Cuándo es gratis?",
        "La entrada cuesta 7 €, los domingos es gratis. No se admiten perros.",
        (),
        ("Los lunes es gratis.",),
    ),
    Scene(
        "What is the wifi password?",
        "Wifi: GuestNet, password k7-Pla9net (lower case k).",
        ("The wifi password is k7-Pla9net.",),
        ("The wifi password is k7-Pla6net.",),
    ),
    Scene(
        "What time is check-in?",
        "Check-in from 3pm, check-out until 11am. Breakfast 7-10.",
        ("Check-in is from 15:00 and check-out until 11:00.",),
        ("Check-in is from 2 pm.",),
    ),
    Scene(
        "When is breakfast?",
        "Check-in from 3pm, check-out until 11am. Breakfast 7-10.",
        ("Breakfast is from 7 to 10.",),
        (),
    ),
    Scene(
        "How far along is the fund?",
        "We have raised £1.3m of the £2m target, i.e. 65%.",
        (
            "£1.3 million of the £2 million target has been raised.",
            "They have raised 65 percent of the target.",
        ),
        ("£1.3 billion has been raised.",),
    ),
    Scene(
        "Who attended?",
        "Present: Lund, Okoye, Marchetti. Apologies: Weiss.",
        ("Lund, Okoye and Marchetti attended; Weiss sent apologies.",),
        ("Lund, Okoye and Marchand attended.",),
    ),
    Scene(
        "Is there a fee for cancelling?",
        "There is no fee if you cancel at least 14 days before arrival; later, 50% is due.",
        (
            "There is no fee if you cancel at least 14 days before arrival.",
            "No, if you cancel at least two weeks before arrival there is no fee.",
        ),
        (
            "There is a fee if you cancel at least 14 days before arrival.",
            "There is no fee if you cancel at least 4 days before arrival.",
        ),
    ),
    Scene(
        "What do I have to pay?",
        "Please don't forget to pay 50 euros by Friday. If you do not pay, the seat is gone.",
        ("You have to pay 50 euros by Friday.", "If you do not pay, the seat is gone."),
        ("You do not have to pay 50 euros by Friday.", "You have to pay 15 euros by Friday."),
    ),
    Scene(
        "When does the pool open?",
        "The pool does not open until 3 May; dogs stay outside, and season tickets are "
        "non-refundable.",
        ("The pool opens on 3 May.", "The pool does not open until 3 May."),
        ("The pool never opens on 3 May.", "The pool does not open until 13 May."),
    ),
    Scene(
        "Are season tickets refundable?",
        "The pool opens on 3 May; dogs stay outside, and season tickets are non-refundable.",
        ("No, season tickets are not refundable.",),
        ("Yes, season tickets are refundable.",),
    ),
    Scene(
        "When do they meet?",
        "Not on Monday but on Tuesday, in Mai's flat: why don't we meet at 6 pm?",
        ("They meet on Tuesday at 6 pm.", "They do not meet on Monday."),
        ("They meet on Tuesday at 5 pm.", "They do not meet on Tuesday."),
    ),
    Scene(
        "Wann ist das Fest?",
        "Das Fest ist im Mai, der Eintritt kostet 5 Euro pro Person.",
        ("Das Fest ist im Mai.", "Der Eintritt kostet 5 Euro."),
        ("Das Fest ist nicht im Mai.", "Das Fest ist im März."),
    ),
    Scene(
        "È permesso fumare?",
        "In casa non è permesso fumare, sul balcone sì.",
        ("No, in casa non è permesso fumare.",),
        ("Sì, in casa è permesso fumare.",),
    ),
    Scene(
        "É permitido fumar?",
        "Não é permitido fumar dentro de casa.",
        ("Não, não é permitido fumar dentro de casa.",),
        ("Sim, é permitido fumar dentro de casa.",),
    ),
    # --- a "not" that denies nothing ------------------------------------------------------------
    Scene(
        "What is Jo looking forward to?",
        "The ferry is booked. I can't wait to visit the lighthouse with you!",
        ("the lighthouse", "Jo is going to visit the lighthouse."),
        ("Jo will not visit the lighthouse.",),
    ),
    Scene(
        "What does Kim like to do after the repair?",
        "The car is fixed. Nothing better than cruising around the bay.",
        ("cruising around the bay", "Kim likes cruising around the bay."),
        ("Kim does not like cruising around the bay.",),
    ),
    Scene(
        "What did Bob say about the oars?",
        "No problem, the oars are in the shed. There is no doubt that they were paid.",
        ("The oars are in the shed.", "The oars were paid."),
        ("The oars are not in the shed.",),
    ),
    Scene(
        "What is said of the new crew?",
        "I couldn't be happier with the new crew. We will not wait for the rowers.",
        ("happier with the new crew",),
        ("They will wait for the rowers.",),
    ),
    Scene(
        "What happened at the harbour?",
        "We didn't wait for the pilot. The engine won't be better by May. There is no problem "
        "with the lease, and nothing like a mooring fee was agreed.",
        ("There is no problem with the lease.",),
        (
            "They waited for the pilot.",
            "The engine will be better by May.",
            "There is a problem with the lease.",
            "A mooring fee was agreed.",
        ),
    ),
)
"""Written after the rules were mended, from mails and lists that hold several facts each."""
