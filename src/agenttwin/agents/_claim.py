"""What an agent gives back, read as the engine wants it."""

from __future__ import annotations

from agenttwin.evaluate import ClaimError, read_claim
from agenttwin.run import AgentFailed
from agenttwin.transcript import Claim, Ending, decode_claim, encode_claim


def claim_from(reply: object) -> Claim:
    """The claim that a reply makes, out of the agent's reach; AgentFailed where it makes none."""
    try:
        return decode_claim(encode_claim(read_claim(reply)))
    except ClaimError as error:
        raise AgentFailed(Ending.AGENT_ERROR, str(error)) from None
    except (TypeError, ValueError) as error:
        raise AgentFailed(Ending.AGENT_ERROR, f"The reply holds what is no JSON: {error}.") from None
