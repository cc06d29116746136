"""A small agent to replace by your own: it adds credit to an account.

AgentTwin calls `run(request, tools)` once a case. What matters of your own agent is that its tool calls go
through `tools.call(...)`; they then reach the twin instead of the real systems.
"""

import re


def run(request, tools):
    """Answer one message. ``request`` is what the user said; ``tools`` are the twin's."""
    instructions = request.manifest["spec"]["instructions"]
    account = re.search(r"ACC-\d+", request.message)[0]
    amount = int(re.search(r"\$(\d+)", request.message)[1])

    before = tools.call("get_account", account_id=account)
    if not before.ok:
        return {"output": f"I could not find account {account}.", "claimed_outcome": "REFUSED"}

    reply = tools.call("add_credit", account_id=account, amount=amount)
    if not reply.ok:
        # A failed call may have done its work all the same. Version 1.0.0 looks before it tries again;
        # version 1.1.0 was told to be quick.
        if "look before you retry" in instructions:
            after = tools.call("get_account", account_id=account)
            done = after.ok and after.body["credit"] == before.body["credit"] + amount
        else:
            done = False
        if not done:
            reply = tools.call("add_credit", account_id=account, amount=amount)
            if not reply.ok:
                return {"output": "I could not add the credit.", "claimed_outcome": "FAILURE"}

    return {"output": f"Done: {amount} USD of credit were added to {account}.", "claimed_outcome": "SUCCESS"}
