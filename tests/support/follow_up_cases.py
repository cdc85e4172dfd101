"""What people ask after an answer, and what is meant: follow-ups, and new questions among them.

Written before the rules were, by what a person would mean. In either list the cases at odd places
were looked at while the rules were made; those at even places measure them.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.conversation import Conversation
from ingest.item import Kind
from tests.support.toy_conversations import Said, cited, conversation

MAILS = [cited(number, "Marta Silva") for number in (1, 2, 3)]
EVENTS = [cited(number, kind=Kind.EVENT, title="Meeting") for number in (1, 2)]
LEASE = cited(1, kind=Kind.DOCUMENT, title="Lease")

PAID: Said = ("What did Kim pay in April?", "300 euros [1].", [cited(1, "Dana Okafor")])
LANDLORD: Said = (
    "Which mails did I get from the landlord in March?",
    "Three: on the keys [1], the repairs [2] and the rent [3].",
    MAILS,
)
FLIGHT: Said = ("When is Bob's flight to Paris?", "On Friday at nine [1].", [cited(1, "Air Desk")])
COUNT: Said = ("How many mails did Anna send me in February?", "Four.", [])
MEETINGS: Said = ("How many meetings did I have with Kim in May?", "Two [1] [2].", EVENTS)
BUDGET: Said = ("Did the board approve the budget?", "No, it was rejected [1].", [cited(1)])
DENTIST: Said = ("When is my dentist appointment?", "On 3 June at ten [1].", EVENTS[:1])
WEEK: Said = ("List my appointments next week", "Dentist [1] and school [2].", EVENTS)
WORKSHOP: Said = ("Who is coming to the workshop?", "Lee and Dana [1].", [cited(1, "Lee Wong")])
PETS: Said = ("What does the lease say about pets?", "Only cats [1].", [LEASE])
INVOICE: Said = ("Who sent me the roofers' invoice?", "Marta Silva [1].", [cited(1, "Marta Silva")])
THANKS: Said = ("thanks", "You are welcome.", [])
GARAGE: Said = ("Is there a garage?", "Nothing says so.", [])
WEATHER: Said = ("What is the weather in Oslo?", "Nothing says so.", [])
SCOPED: Said = ("What does that mail say about May?", "It is due [1].", [MAILS[1]], [MAILS[1]])
SECOND: Said = ("When was this mail sent?", "On Monday [2].", [MAILS[1]], [MAILS[1]])
TAX: Said = ("When is the tax return due?", "On 31 July [1].", [cited(1)])
MIETE: Said = ("Wann ist die Miete fällig?", "Am dritten [1].", MAILS[:2])
DENTISTE: Said = ("Quand est le rendez-vous chez le dentiste ?", "Lundi [1].", EVENTS[:1])
FACTURA: Said = ("¿Cuánto pagué por la luz en abril?", "60 euros [1].", MAILS[:1])
HUUR: Said = ("Wanneer moet de huur betaald zijn?", "Op de derde [1].", MAILS[:1])


@dataclass(frozen=True, slots=True)
class Case:
    """What was said, what is typed then, and what of the outcome is right."""

    turns: tuple[Said, ...]
    typed: str
    texts: tuple[str, ...] | None
    """Right rewritings; None: any."""
    scope: tuple[int, ...] | None
    """Ids of the citations that are meant; None: any."""
    sure: bool | None
    """None: the rules may be sure or not."""

    @property
    def asked_after(self) -> Conversation:
        """The conversation when it is typed."""
        return conversation(*self.turns)


def _meant(*said: object) -> Case:
    """Return a follow-up that the rules can put into words: turns, what is typed, rewritings."""
    turns, typed, *texts = said
    return Case(_turns(turns), str(typed), tuple(map(str, texts)), (), True)


def _about(turns: object, typed: str, *scope: int, text: str | None = None) -> Case:
    """Return a follow-up on what was cited."""
    return Case(_turns(turns), typed, None if text is None else (text,), scope, True)


def _open(turns: object, typed: str) -> Case:
    """Return a follow-up that rules cannot know."""
    return Case(_turns(turns), typed, None, None, False)


def _whole(turns: object, typed: str, sure: bool | None = True) -> Case:
    """Return a new question, to be left as it is."""
    return Case(_turns(turns), typed, (typed,), (), sure)


def _turns(said: object) -> tuple[Said, ...]:
    return tuple(said) if isinstance(said, list) else (said,)  # type: ignore[arg-type, return-value]


MISSED = frozenset(
    {
        "Since when?",
        "What about parking?",
        "Is this event ticket from Monday refundable?",
        "Are these events on Saturday free of charge?",
    }
)
"""What the rules get wrong."""

FOLLOW_UPS = [
    # dates and other parts put in
    _meant(PAID, "and in June?", "What did Kim pay in June?"),
    _meant(PAID, "March?", "What did Kim pay in March?"),
    _meant(PAID, "June?", "What did Kim pay in June?"),
    _meant(PAID, "and March 2024?", "What did Kim pay in March 2024?"),
    _meant(PAID, "And what about Lee?", "What did Lee pay in April?"),
    _meant(FLIGHT, "and Lee's?", "When is Lee's flight to Paris?"),
    _meant(TAX, "and the property tax?", "When is the property tax due?"),
    _meant(DENTIST, "where?", "Where is my dentist appointment?"),
    _meant(FLIGHT, "What about Anna's?", "When is Anna's flight to Paris?"),
    _meant(COUNT, "and in March?", "How many mails did Anna send me in March?"),
    _meant(COUNT, "What about Lee?", "How many mails did Lee send me in February?"),
    _meant(PETS, "and about smoking?", "What does the lease say about smoking?"),
    _meant(PETS, "What about parking?", "What does the lease say about parking?"),
    _open(PAID, "in May, not April"),
    _open(PAID, "not in April, in May I mean"),
    _open(PAID, "and after that?"),
    _open(PAID, "and before that?"),
    _open(WEEK, "and the week after?"),
    _open(WEEK, "and the day before?"),
    _open(BUDGET, "why?"),
    _open(BUDGET, "How come?"),
    _open(THANKS, "and in May?"),
    _open(THANKS, "and Kim?"),
    _open(WORKSHOP, "Since when?"),
    _meant(WORKSHOP, "When?", "Who is coming to the workshop, and when?"),
    _meant(INVOICE, "and when?", "Who sent me the roofers' invoice, and when?"),
    # people and things
    _meant(FLIGHT, "What time does it land?", "What time does Bob's flight to Paris land?"),
    _meant(FLIGHT, "How long is it?", "How long is Bob's flight to Paris?"),
    _meant(FLIGHT, "Has he checked in?", "Has Bob checked in?"),
    _meant(FLIGHT, "Where does he stay?", "Where does Bob stay?"),
    _meant(PAID, "What did she pay for the garage?", "What did Kim pay for the garage?"),
    _meant(
        PAID, "and did he get a receipt?", "did Kim get a receipt?", "and did Kim get a receipt?"
    ),
    _meant(INVOICE, "How much was it?", "How much was the roofers' invoice?"),
    _meant(INVOICE, "What is her phone number?", "What is Marta Silva's phone number?"),
    _meant(TAX, "Can it be filed online?", "Can the tax return be filed online?"),
    _meant(TAX, "Who prepares it?", "Who prepares the tax return?"),
    _meant([FLIGHT, WEATHER], "When does he land?", "When does Bob land?"),
    _meant([PAID, GARAGE], "How much did she pay in May?", "How much did Kim pay in May?"),
    _open(GARAGE, "Where is he now?"),
    _open(THANKS, "Is she coming?"),
    # after a count
    _meant(
        COUNT,
        "list them",
        "list the mails that Anna sent me in February",
        "list the mails Anna sent me in February",
    ),
    _meant(
        COUNT,
        "What were they about?",
        "What were the mails that Anna sent me in February about?",
        "What were the mails Anna sent me in February about?",
    ),
    _meant(
        COUNT,
        "show me them",
        "show me the mails that Anna sent me in February",
        "show me the mails Anna sent me in February",
    ),
    _meant(
        COUNT,
        "Which of them have attachments?",
        "Which of the mails that Anna sent me in February have attachments?",
        "Which of the mails Anna sent me in February have attachments?",
    ),
    _meant(MEETINGS, "When were they?", "When were the meetings that I had with Kim in May?"),
    _meant(
        MEETINGS,
        "Where did they take place?",
        "Where did the meetings that I had with Kim in May take place?",
    ),
    # a list that was cited
    _about(LANDLORD, "and the third?", 3),
    _about(LANDLORD, "What about the first?", 1),
    _about(LANDLORD, "What does the second say?", 2),
    _about(LANDLORD, "Did I reply to the second?", 2),
    _about(LANDLORD, "Compare the first and the third", 1, 3),
    _about(LANDLORD, "Compare the first and the second", 1, 2),
    _about(LANDLORD, "summarise the first two", 1, 2),
    _about(LANDLORD, "What do the last two have in common?", 2, 3),
    _about(LANDLORD, "What does #2 say?", 2),
    _about(LANDLORD, "#3", 3),
    _about(LANDLORD, "number 2?", 2),
    _about(LANDLORD, "what about number 3?", 3),
    _about(LANDLORD, "Who else got [2]?", 2),
    _about(LANDLORD, "When was source 3 written?", 3),
    _about(LANDLORD, "Which of them mention the deposit?", 1, 2, 3),
    _about(LANDLORD, "Which of those mention the keys?", 1, 2, 3),
    _about(LANDLORD, "Did I answer them?", 1, 2, 3),
    _about(LANDLORD, "When were they sent?", 1, 2, 3),
    _about(LANDLORD, "Summarise these mails", 1, 2, 3),
    _about(LANDLORD, "Do those mails have attachments?", 1, 2, 3),
    _about(LANDLORD, "Does the last one mention the heating?", 3),
    _about(LANDLORD, "When did I get the first one?", 1),
    _about(LANDLORD, "the second one", 2),
    _about(WEEK, "Where is the first one?", 1),
    _about([LANDLORD, SECOND], "and the third one?", 3),
    _about([LANDLORD, SECOND], "What does the first one say?", 1),
    _about(INVOICE, "What does that mail say?", 1, text="What does that mail say?"),
    _about(PAID, "Show me this mail", 1, text="Show me this mail"),
    _about(DENTIST, "Who else is invited to that appointment?", 1),
    _about(PETS, "How long is that document?", 1),
    # a turn that was about one source
    _about([LANDLORD, SCOPED], "and about June?", 2, text="What does that mail say about June?"),
    _about([LANDLORD, SCOPED], "What about July?", 2),
    _about([LANDLORD, SCOPED], "who sent it?", 2),
    _about([LANDLORD, SCOPED], "When was it sent?", 2),
    _about([LANDLORD, SCOPED], "Does it mention the deposit?", 2),
    _about([LANDLORD, SECOND], "by whom?", 2),
    _about([LANDLORD, SECOND], "Who sent it?", 2),
    _about([LANDLORD, SECOND], "What is it about?", 2),
    # what only a model or the person can know
    _open(FLIGHT, "Which airline?"),
    _open(FLIGHT, "Which terminal?"),
    _open(FLIGHT, "At what time?"),
    _open(FLIGHT, "From which airport?"),
    _open(PAID, "What else?"),
    _open(PAID, "Who else?"),
    _open(PAID, "Why so much?"),
    _open(BUDGET, "Why not?"),
    _open(BUDGET, "By how many votes?"),
    _open(WORKSHOP, "who was there last year?"),
    _open(BUDGET, "Who was there?"),
    _open(PAID, "Are you sure?"),
    _open(PAID, "shorter please"),
    _open(COUNT, "how many did Bob send?"),
    _open(PAID, "Was that more than in March?"),
    _open(PAID, "How much was that in dollars?"),
    _open(FLIGHT, "How do I get there?"),
    _open(FLIGHT, "I meant the return flight"),
    # other languages
    _open(MIETE, "Und die Nebenkosten?"),
    _open(MIETE, "Was steht in der zweiten Mail?"),
    _open(MIETE, "Wer?"),
    _open(MIETE, "Warum?"),
    _open(DENTISTE, "Et où ?"),
    _open(DENTISTE, "Bob ?"),
    _open(DENTISTE, "Et il dure combien de temps ?"),
    _open(FACTURA, "¿Y en mayo?"),
    _open(FACTURA, "¿Y por el agua?"),
    _open(HUUR, "En hoeveel is het?"),
    _open(HUUR, "En de verzekering?"),
    _open(LANDLORD, "Was steht in dieser Mail?"),
    _open(PAID, "et en mai ?"),
]
NEW = [
    # a source is not meant
    _whole(PAID, "Who sent that postcard from Lisbon?"),
    _whole(PAID, "Who wrote this year's report for the club?"),
    _whole(PAID, "When did I get this month's phone bill?"),
    _whole(PAID, "How do I reply to this week's invitation from the school?"),
    _whole(PAID, "Who wrote that the bridge is closed?"),
    _whole(PAID, "Who said that the shop would close?"),
    _whole(PAID, "Did anybody mention that mails bounce?"),
    _whole(LANDLORD, "Does the law say that mails count as written notice?"),
    _whole(LANDLORD, "Which messages warn that files will be deleted?"),
    _whole(DENTIST, "Who booked that meeting room for Thursday?"),
    _whole(DENTIST, "Is this event ticket from Monday refundable?"),
    _whole(DENTIST, "When is the first appointment after lunch on Friday?"),
    _whole(DENTIST, "When was the last meeting we had before summer?"),
    _whole(WEEK, "When is the second appointment I have at the hospital?"),
    _whole(WEEK, "Where was the first meeting of the parents' council?"),
    _whole(LANDLORD, "What was the first mail Anna ever wrote me?"),
    _whole(LANDLORD, "Who was the second mail from the bank addressed to?"),
    _whole(LANDLORD, "When is the first of May celebrated?"),
    _whole(LANDLORD, "Who came second in the race?"),
    _whole(LANDLORD, "What happened on the second of June?"),
    _whole(LANDLORD, "When did I first meet Lee?"),
    _whole(LANDLORD, "What is on the third floor?"),
    _whole(LANDLORD, "Who won the first prize?"),
    _whole(LANDLORD, "When is the last day to apply?"),
    # numbers
    _whole(LANDLORD, "Where is my order number 2?"),
    _whole(LANDLORD, "What does paragraph no. 3 of the contract say?"),
    _whole(LANDLORD, "Who lives at number 2?"),
    _whole(LANDLORD, "When does bus number 3 leave?"),
    _whole(LANDLORD, "Did Lee hand in form no. 1?"),
    _whole(LANDLORD, "When was invoice number 12 paid?"),
    _whole(LANDLORD, "What is the phone number 2 of the school?"),
    _whole(LANDLORD, "Is open source 2 weeks late?"),
    # pronouns of their own
    _whole(FLIGHT, "How much does it cost to replace a key?"),
    _whole(FLIGHT, "How long does it take to get to Bergen?"),
    _whole(FLIGHT, "Is it allowed to smoke on the balcony?"),
    _whole(FLIGHT, "Is it cheaper to rent a car?"),
    _whole(FLIGHT, "What did they discuss at the meeting of the club?", None),
    _whole(FLIGHT, "How often does my daughter have her piano lesson?"),
    _whole(FLIGHT, "When does my brother get his new passport?"),
    _whole(FLIGHT, "Which doctor said he was on leave?"),
    _whole(FLIGHT, "Which neighbour told me she would move?"),
    _whole(FLIGHT, "Did the plumber say when he comes?"),
    _whole(FLIGHT, "Has the bank sent its annual statement?"),
    _whole(PAID, "Did Anna write that she is ill?"),
    _whole(PAID, "Will it rain tomorrow?"),
    _whole(PAID, "What do the twins want for their birthday?"),
    _whole(COUNT, "Where did I leave my keys, and who has them?"),
    _whole(COUNT, "Do the neighbours know they are loud?"),
    _whole(BUDGET, "Why was the concert cancelled?"),
    _whole(BUDGET, "When is the concert, and where is it?"),
    # whole by themselves
    _whole(PAID, "Where is my birth certificate?"),
    _whole(PAID, "What did Kim pay in March?"),
    _whole(PAID, "How much is the rent?"),
    _whole(PAID, "Who is Lee Wong?"),
    _whole(LANDLORD, "Which mails did I get from the school in May?"),
    _whole(LANDLORD, "Summarise the minutes of the council"),
    _whole(FLIGHT, "List all invoices of 2024"),
    _whole(FLIGHT, "Find the photo of the garden fence"),
    _whole(INVOICE, "When does the library open?"),
    _whole(INVOICE, "What is my IBAN?"),
    _whole(WORKSHOP, "Where do we meet on Sunday?"),
    _whole(WORKSHOP, "Is there a train to Bergen after ten?"),
    _whole([LANDLORD, SCOPED], "When does the ferry leave?"),
    _whole([LANDLORD, SCOPED], "How much did Kim pay for the garage?"),
    _whole([LANDLORD, SCOPED], "Who wrote about the garden?"),
    _whole([LANDLORD, SECOND], "When is my flight to Lisbon?"),
    _whole([FLIGHT, WEATHER], "Where is my passport?"),
    _whole([PAID, GARAGE], "When is the rent due?"),
    _whole(THANKS, "When is the rent due?"),
    _whole(THANKS, "What did Kim pay in April?"),
    _whole(MEETINGS, "How many invoices came in May?"),
    _whole(MEETINGS, "And what does the lease say about pets?"),
    _whole(PETS, "Which documents must be signed by June?"),
    _whole(PETS, "What does the contract say about notice?"),
    _whole(DENTIST, "And where is my vaccination card?"),
    _whole(DENTIST, "Are these events on Saturday free of charge?"),
    _whole(BUDGET, "Which airline did Anna fly with?"),
    _whole(BUDGET, "What else did Kim buy in April?", None),
    _whole(BUDGET, "Then what did the council decide about the school?", None),
    _whole(BUDGET, "At what time does the museum open?"),
    # other languages: never mangled
    _whole(MIETE, "Wo ist mein Reisepass?", None),
    _whole(MIETE, "Wann beginnt der Elternabend in der Schule?", None),
    _whole(DENTISTE, "Combien coûte le billet de train pour Lyon ?", None),
    _whole(DENTISTE, "Où est mon passeport ?", None),
    _whole(FACTURA, "¿Cuándo es la reunión de padres?", None),
    _whole(FACTURA, "¿Quién es Bob?", None),
    _whole(HUUR, "Waar is mijn paspoort?", None),
    _whole(HUUR, "Wie komt er op zaterdag?", None),
    _whole(PAID, "Wer war in Berlin dabei?", None),
    _whole(PAID, "Où est la facture de la voiture ?", None),
    _whole(MIETE, "Where is my passport?", None),
    _whole(FACTURA, "When does the train to Bergen leave?", None),
]
