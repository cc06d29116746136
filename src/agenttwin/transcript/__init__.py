"""The one evidence type: what an agent did, simulated or observed; and, apart from it, what it says."""

from agenttwin.transcript._claim import Claim, ClaimedOutcome, Outcome, OutcomeStatus, OwnCall, Usage
from agenttwin.transcript._codec import decode_claim, decode_events, encode_claim, encode_events
from agenttwin.transcript._event import (
    Commit,
    Event,
    Message,
    ModelCall,
    ModelKind,
    PolicyDecision,
    Result,
    Retrieval,
    Risk,
    ToolCall,
    without_key,
)
from agenttwin.transcript._redact import ENVIRONMENT_MASK, MASK, redact
from agenttwin.transcript._secret import discloses
from agenttwin.transcript._transcript import Ending, FaultUse, Setting, Transcript

__all__ = [
    "ENVIRONMENT_MASK",
    "MASK",
    "Claim",
    "ClaimedOutcome",
    "Commit",
    "Ending",
    "Event",
    "FaultUse",
    "Message",
    "ModelCall",
    "ModelKind",
    "Outcome",
    "OutcomeStatus",
    "OwnCall",
    "PolicyDecision",
    "Result",
    "Retrieval",
    "Risk",
    "Setting",
    "ToolCall",
    "Transcript",
    "Usage",
    "decode_claim",
    "decode_events",
    "discloses",
    "encode_claim",
    "encode_events",
    "redact",
    "without_key",
]
