"""Numbers about the server, as Prometheus reads them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The numbers of one server; each has a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        Gauge("agenttwin_build", "1, with the version.", ["version"], registry=self.registry).labels(
            version("agenttwin")
        ).set(1)
        self.requests = Counter(
            "agenttwin_http_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "agenttwin_http_request_seconds",
            "Seconds until an answer begins.",
            ["method", "route"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.streams = Gauge(
            "agenttwin_event_streams", "Streams of events that are open.", registry=self.registry
        )
        self.jobs = Counter(
            "agenttwin_jobs", "Pairs and runs that ended here.", ["state"], registry=self.registry
        )
        self.waiting = Gauge("agenttwin_jobs_waiting", "Pairs and runs queued here.", registry=self.registry)
        self.cases = Counter(
            "agenttwin_cases", "Cases that were run here.", ["verdict"], registry=self.registry
        )

    def text(self) -> bytes:
        """All of them."""
        return generate_latest(self.registry)
