"""Marks of orders to a model in languages other than English."""

from __future__ import annotations

from engine.injection.marks import DICTATES, SETS_ASIDE, TO_MODEL, Rule, compiled, words

# ruff: noqa: RUF001 (letters of other scripts are meant)

_THEIR_SET = (
    r"(?:ignor\w{1,6}|negeer|negeert|vergiss|vergesst|vergessen sie|vergeet|missachte\w*"
    r"|oublie[zr]?|olvid[ae]|olviden|dimentica\w*|esque[çc]a\w*|zignoruj\w*|zapomnij\w*|pomi[nń]"
    r"|glem|ignorera|игнорируй\w*|проигнорируй\w*|забудь\w*|забудьте|تجاهل|انس)"
)
_THEIR_ORDERS = (
    r"(?:anweisung\w*|instruktion\w*|vorgaben|regeln|(?:[lmtcd]es|[nv]os) instructions"
    r"|consignes|instrucciones|indicaciones|reglas|istruzioni|regole|instruções|instructies|opdrachten|regels"
    r"|instruktioner|instrukcj\w*|polece\w*|инструкци\w*|указани\w*|команд\w*|правила"
    r"|التعليمات|الأوامر)"
)
_THEIR_EARLIER = (
    r"(?:vorherig\w*|bisherig\w*|früher\w*|vorangehend\w*|obig\w*|zuvor|davor|vorher"
    r"|précédent\w*|antérieur\w*|reçues|ci-dessus|anterior\w*|previ[ao]s|recibid\w*|precedent\w*"
    r"|eerder\w*|voorgaande|vorige|poprzedni\w*|wcześniejsz\w*|предыдущ\w*|прежн\w*|выше|ранее"
    r"|السابقة|tidigare)"
)
_THEIR_ALL = (
    r"(?:alle|alles|sämtliche|jegliche|toute?s?|tous|tod[ao]s?|tutt[eoi]|все|всё|wszystki\w*"
    r"|alla|جميع|كل)"
)
_UNDENIED = r"(?:(?!(?:nicht|niet|pas|no|não|nie|не)\b)(?:[ld]')?\w+ )"
"""A word between verb and object, except words that take the order back."""
_NOT_AFTER = r"\b(?!(?:\s+(?!und\b|en\b)\w+){0,4}\s+(?:nicht|niet)\b)"
_SETTING_ASIDE = words(
    *(
        "ignor",
        "negeer",
        "verg",
        "missacht",
        "oubli",
        "olvid",
        "dimentic",
        "esque",
        "zapomn",
        "glem",
    ),
    *(
        "pomi",
        "beacht",
        "befolg",
        "ne t",
        "ne s",
        "no h",
        "no s",
        "talimat",
        "игнор",
        "забуд",
        "не обращ",
    ),
    *("تجاهل", "انس", "忽", "无视", "無視", "忘", "무시", "잊"),
)

RULES = (
    Rule(
        SETS_ASIDE,
        2,
        _SETTING_ASIDE,
        compiled(
            rf"\b{_THEIR_SET} {_UNDENIED}{{0,2}}{_THEIR_ALL} {_UNDENIED}{{0,2}}"
            rf"(?:{_THEIR_EARLIER} {_UNDENIED}{{0,1}}{_THEIR_ORDERS}"
            rf"|{_THEIR_ORDERS} {_UNDENIED}{{0,1}}{_THEIR_EARLIER}){_NOT_AFTER}",
            r"(?:忽略|无视|無視|忽视)[^。\n]{0,8}(?:所有|一切|全部)[^。\n]{0,4}(?:指令|指示|提示|命令)",
            r"(?:指示|命令|指令)を(?:すべて|全て|全部)?(?:無視|忘れ(?!な))",
            r"모든[^.\n]{0,4}(?:지시|명령|지침)[^.\n]{0,8}(?:무시|잊)",
        ),
    ),
    Rule(
        SETS_ASIDE,
        1,
        _SETTING_ASIDE,
        compiled(
            rf"\b{_THEIR_SET} {_UNDENIED}{{1,5}}{_THEIR_ORDERS}{_NOT_AFTER}",
            rf"\b{_THEIR_SET} {_UNDENIED}{{0,3}}{_THEIR_ALL}\W{{1,3}}{_UNDENIED}{{0,3}}"
            rf"(?:{_THEIR_EARLIER}|gesagt|dit|dicho|detto|dito|verteld|сказано)\b",
            rf"\b{_THEIR_SET} (?:was|ce qui|ce qu'on|lo que|quello che|o que|wat|то,? что)"
            rf" {_UNDENIED}{{1,5}}(?:gesagt|dit|dicho|detto|dito|verteld|сказано)\b",
            r"\b(?:beachte\w*|befolge\w*) (?:\w+ ){1,4}(?:anweisungen|vorgaben|regeln) nicht\b",
            r"\bne (?:tenez|tiens|suivez|suis) (?:pas|plus) (?:compte )?(?:\w+ ){0,2}"
            r"(?:consignes|instructions)\b",
            r"\bno (?:hagas?|sigas?) (?:caso )?(?:\w+ ){0,3}(?:instrucciones|indicaciones)\b",
            rf"\bне обращай\w* внимания на {_THEIR_EARLIER} {_THEIR_ORDERS}",
            r"\bönceki (?:\w+ ){0,2}talimat\w*|\btalimat\w* (?:yok say|unut|dikkate alma)",
            r"(?:忽略|无视|無視|忽视|忘记|忘掉)[^。\n]{0,12}(?:指令|指示|說明|提示|说明|要求|命令)",
            r"(?:指示|命令|指令)は忘れ(?!な)|(?:지시|명령|지침)[^.\n]{0,8}(?:무시|잊)",
        ),
    ),
    Rule(
        TO_MODEL,
        2,
        words("ki", "ia", "ии", "intelig", "intellig", "sprachmodel", "taalmodel", "modelo", "ai"),
        compiled(
            r"(?:^|[\n.!?]\W{0,3}|\b(?:hinweis|nachricht|anweisung|note|nota|message) )"
            r"(?:liebe|hallo|an (?:die|das|alle)|chère|bonjour|à l'attention de l|à l|per l"
            r"|estimad[ao]|querid[ao]|car[ao]|beste|aan de|дорогой|уважаемый|drog[ia])"
            r" (?:ki|künstliche intelligenz|sprachmodelle?|ia|intelligence artificielle"
            r"|inteligencia artificial|intelligenza artificiale|taalmodel|ии"
            r"|sztuczna inteligencj\w*)"
            r"\b(?=\s?(?:[,.;:!?\n]|die\b|das\b|der\b|qui\b|que\b|che\b|dat\b|som\b))",
            r"\b(?:wenn|falls) (?:du|sie) eine? (?:ki|künstliche intelligenz|sprachmodell|chatbot)",
            r"\bsi (?:vous êtes|tu es|eres|es usted|sei|você é) une?[ao]? (?:ia|modèle de langage"
            r"|modelo de lenguaje|intelligence artificielle|inteligencia artificial)\b",
            r"(?:如果|若)你是(?:一个|一個)?(?:ai|人工智能|语言模型|語言模型)",
        ),
    ),
    Rule(
        DICTATES,
        0,
        (),
        compiled(
            r"\b(?:antworte\w*|beantworte\w*|gib|gebt|schreib\w*|sag\w*|behaupte\w*) (?:\w+ ){0,3}"
            r"(?:nur|lediglich|ausschliesslich|bitte|mit|dass|es)\b",
            r"\b(?:réponds|répondez|écris|écrivez|dis|dites) (?:\w+ )?(?:seulement|uniquement|juste"
            r"|que|par)\b",
            r"\b(?:responde|responda|contesta\w*|debes? (?:contestar|decir|responder)|escribe|di"
            r"|diga|rispondi|scrivi|dica|escreva) (?:\w+ )?(?:solo|solamente|únicamente|que"
            r"|soltanto|che|apenas|somente)\b",
            r"\b(?:antwoord|schrijf|zeg) (?:alleen|slechts|dat|uitsluitend)\b",
            r"\b(?:ответь\w*|отвечай\w*|напиши\w*|скажи\w*) (?:\w+ )?(?:только|что)\b",
            r"\b(?:odpowiedz|napisz|powiedz) (?:tylko|wyłącznie|że)\b|,? napisz,? że\b",
            r"\bsadece \w+ (?:yaz|de|söyle)\b|\b(?:yok|var) de\b|\bcevap ver\b",
            r"(?:只|仅|直接|請只|请只)(?:回答|回复|输出|告诉|说)|とだけ(?:答え|書)|と答えなさい",
            r"(?:라고만|라고) (?:대답|답)|فقط بكلمة|وأجب",
        ),
    ),
)
