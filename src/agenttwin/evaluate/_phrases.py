"""The claim reader: how the words of an answer say it went. Phrases and negation, no understanding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final

from agenttwin.transcript import ClaimedOutcome

MAX_READ: Final = 20_000
"""Characters that are read; an answer says in its first pages how it went."""


class Sign(StrEnum):
    """What a clause says."""

    DONE = "done"
    PART = "part"
    UNCONFIRMED = "unconfirmed"
    HANDED_OVER = "handed over"
    REFUSED = "refused"
    FAILED = "failed"


OUTCOMES: Final[tuple[tuple[frozenset[Sign], ClaimedOutcome], ...]] = (
    (frozenset({Sign.UNCONFIRMED}), ClaimedOutcome.PARTIAL),
    (frozenset({Sign.PART}), ClaimedOutcome.PARTIAL),
    (frozenset({Sign.DONE, Sign.FAILED}), ClaimedOutcome.UNKNOWN),
    (frozenset({Sign.DONE, Sign.REFUSED}), ClaimedOutcome.UNKNOWN),
    (frozenset({Sign.DONE, Sign.HANDED_OVER}), ClaimedOutcome.UNKNOWN),
    (frozenset({Sign.DONE}), ClaimedOutcome.SUCCESS),
    (frozenset({Sign.HANDED_OVER}), ClaimedOutcome.ESCALATED),
    (frozenset({Sign.REFUSED}), ClaimedOutcome.REFUSED),
    (frozenset({Sign.FAILED}), ClaimedOutcome.FAILURE),
)
"""Signs → outcome: the first row whose signs are all there. What limits a success stands before it."""

LIMITED: Final = (frozenset({Sign.DONE, Sign.FAILED}), frozenset({Sign.DONE, Sign.REFUSED}))
"""In one sentence, these say that a part was done; in two, they may be of different things."""

# Verbs: what was done by whatever hand (_ENDED), or by ours (_DID); what can be tried (_DO), be declined
# (_SHUN), or not be managed (_SEEK).
_ENDED = (
    "refunded|reimbursed|credited|processed|completed|issued|cancell?ed|booked|reserved|updated|exported|deleted"
    "|removed|submitted|fixed|resolved|reset|restored|scheduled|rescheduled|transferred|renewed|upgraded"
    "|activated|deactivated|disabled|enabled|unsubscribed|replaced|registered|sent"
)
_DID = f"{_ENDED}|emailed|changed|moved|ordered|reordered|placed|applied|created|added|approved|paid|made"
_DO = (
    "refund|process|complete|finish|issue|send|book|cancel|update|change|transfer|schedule|place|apply|resolve"
    "|export|delete|submit|fix|reset|create|add|make|do|pay|renew|replace|approve|give|provide"
)
_SHUN = f"{_DO}|help|share|disclose|reveal|comply|assist|offer|discuss|proceed|continue|authori[sz]e|override"
_SEEK = "find|locate|reach|access|load|open|retrieve|get|look up|connect|see"
_CANNOT = "can't|cannot|can not"
_NOT = "(?:n't| not)"
_ADVERBS = "(?:(?:now|just|already|also|successfully|fully|never|gladly|therefore) )*"
_PERSON = (
    "(?:specialist|human|person|colleague|supervisor|manager|representative|administrator|team member"
    r"|member of (?:our|the) team|(?:our|the)(?: \w+)? team|someone from (?:our|the)(?: \w+)? team)"
)
_TO_PERSON = rf"to (?:an? |our |the |my |one of our )?(?:\w+ )?{_PERSON}s?"

_PHRASES: Final[tuple[tuple[Sign, tuple[str, ...]], ...]] = (
    (
        Sign.PART,
        (
            rf"partially|partly (?:{_DID})|only (?:a )?part of",
            r"(?:one|two|three|\d+) (?:out )?of (?:the |your |all )?(?:two|three|four|five|\d+)",
        ),
    ),
    (
        Sign.UNCONFIRMED,
        (
            rf"(?:could{_NOT}|{_CANNOT}|unable to|not able to) (?:yet )?(?:confirm|verify)",
            rf"(?:is|was|are|were|been){_NOT} (?:yet )?(?:confirmed|recorded|complete|verified)",
        ),
    ),
    (
        Sign.HANDED_OVER,
        (
            "escalat(?:ed|ing)",
            rf"(?:handed|passed|forwarded|transferred|referred|assigned)\b.{{0,60}}? {_TO_PERSON}",
            rf"(?:connect|transferr?)ing you (?:with|{_TO_PERSON})",
            rf"{_PERSON} (?:will|must|needs to|has to|is going to|is looking into|is reviewing)",
        ),
    ),
    (
        Sign.REFUSED,
        (
            rf"(?:i|we) (?:{_CANNOT}|won't|will not|may not|must not) (?:{_SHUN})",
            rf"(?:i'm|i am|we're|we are) (?:unable|not (?:able|allowed|permitted)) to (?:{_SHUN})",
            rf"(?:{_CANNOT}|won't|may not) be (?:{_DID})",
            rf"(?:is|are){_NOT} (?:eligible|entitled|permitted|possible)",
            r"against (?:our |the |company )?polic(?:y|ies)|(?:must|have to) (?:decline|refuse)",
        ),
    ),
    (
        Sign.FAILED,
        (
            rf"(?:could{_NOT}|failed to|(?:was|were){_NOT} able to) (?:be )?(?:{_DO}|{_DID}|{_SEEK})",
            rf"(?:was|were) unable to (?:{_DO}|{_SEEK})|(?:i|we) (?:{_CANNOT}) (?:{_SEEK})",
            rf"did{_NOT} (?:go through|work|succeed|complete)|(?:was|were){_NOT} successful|unsuccessful",
            r"(?:went|gone) wrong|an? (?:\w+ )?error (?:has )?occurred",
            r"(?:has|have|had) failed|failed(?=\W*$)",
            rf"(?:have|has|had|did|was|were|is|are){_NOT} (?:yet )?(?:been )?(?:{_DID}|refund|cancel)",
        ),
    ),
    (
        Sign.DONE,
        (
            rf"(?:i|we)(?:'ve| have)? {_ADVERBS}(?:{_DID})",
            rf"(?:has|have) {_ADVERBS}been {_ADVERBS}(?:{_ENDED})",
            rf"(?:was|were) {_ADVERBS}(?:refunded|reimbursed|credited|processed|completed|issued)",
            rf"successfully (?:{_DID})|(?:{_DID}) successfully|went through|was (?:a success|successful)",
            "(?:is|are) (?:now )?(?:complete|completed|done|all set|taken care of)",
            r"(?:you're|it's|that's) (?:all set|done)|^\W*(?:all )?(?:done|set)(?=\W*$)",
        ),
    ),
)
"""What each sign looks like in a clause, in lower case."""

PHRASES: Final = tuple(
    (sign, re.compile(rf"(?<![\w'])(?:{'|'.join(phrases)})(?!\w)")) for sign, phrases in _PHRASES
)

DENIABLE: Final = frozenset({Sign.DONE, Sign.HANDED_OVER, Sign.FAILED})
"""Signs that a negation or a condition takes away. What is denied to be done has failed."""

_NEGATION: Final = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|unable)\b|n't\b"
)
_NOTHING: Final = re.compile(r" (?:nothing|none|no (?:money|amount|part))\b")
_AHEAD: Final = re.compile(r"\b(?:gone|went) ahead and ")
_CONDITION: Final = re.compile(
    r"\b(?:if|once|unless|until|when|whether|as soon as|in case|assuming|suppose|provided|otherwise)\b"
)
_MODAL: Final = re.compile(r"\b(?:would|could|should|might|may|can|shall|will|please|to be|you)\b|'ll\b")
_SENTENCE: Final = re.compile(
    r"(?:(?<=[.!?])[\"')*]*\s+|\n+)(?!\s*(?:however|but|yet|unfortunately|sadly|regrettably)\b)"
)
"""Where a sentence ends. One that limits what was said before belongs to it."""

_CLAUSE: Final = re.compile(
    r"[;:()\u2013\u2014]| - |, |\b(?:but|however|although|though|and|because|while)\b"
)


@lru_cache(maxsize=256)
def read_outcome(answer: str) -> ClaimedOutcome:
    """How the agent's words say it went; UNKNOWN where they do not say, or say two things at once."""
    text = _AHEAD.sub("", answer[:MAX_READ].replace("\u2019", "'").lower())
    sentences = [set(_signs(sentence)) for sentence in _SENTENCE.split(text)]
    signs = set().union(*sentences)
    if any(limit <= sentence for sentence in sentences for limit in LIMITED):
        signs.add(Sign.PART)
    return next((outcome for needed, outcome in OUTCOMES if needed <= signs), ClaimedOutcome.UNKNOWN)


def _signs(sentence: str) -> Iterator[Sign]:
    if sentence.rstrip(" \"')*").endswith("?"):
        return  # what is asked is not told
    conditional = False
    for clause in _CLAUSE.split(sentence):
        conditional = conditional or _CONDITION.search(clause) is not None
        yield from _signs_of(clause, conditional)


def _signs_of(clause: str, conditional: bool) -> Iterator[Sign]:
    for sign, phrase in PHRASES:
        if conditional and sign in DENIABLE:
            continue
        for found in phrase.finditer(clause):
            nothing = _NOTHING.match(clause, found.end())
            through = clause[: nothing.end() if nothing else found.end()]
            yield from _read(sign, clause[: found.start()], through)


def _read(sign: Sign, before: str, through: str) -> Iterator[Sign]:
    """What a phrase says, given the clause up to where it begins and up to where it ends."""
    if sign is Sign.DONE and _MODAL.search(before):
        return  # what may be done, or what somebody else did
    denied = sign in DENIABLE and _NEGATION.search(before if sign is Sign.FAILED else through)
    if not denied:
        yield sign
    elif sign is Sign.DONE:
        yield Sign.FAILED
