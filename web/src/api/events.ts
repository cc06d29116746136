import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { address } from "./client";

const KINDS = [
  "pair.queued", "pair.started", "pair.finished", "pair.cancelled", "pair.failed",
  "run.queued", "run.started", "run.finished", "run.cancelled", "run.failed",
  "case.finished", "override.added", "import.done",
];
const GATHER_MS = 400; // A fast run tells hundreds of cases a second; the screen follows a few times a second.

/** Follows the server's event stream and fetches again what an event is about. */
export function useEvents(): void {
  const client = useQueryClient();
  useEffect(() => {
    const source = new EventSource(address("events"));
    let timer = 0;
    const stale = new Set<string>();
    const flush = () => {
      timer = 0;
      const about = [...stale];
      stale.clear();
      void client.invalidateQueries({
        predicate: ({ queryKey }) => about.some((part) => String(queryKey[1] ?? "").startsWith(part)),
      });
    };
    const heard = (event: Event) => {
      const touched = event.type === "case.finished" ? ["pairs", "runs"] : ["pairs", "runs", "comparisons", "trend", "agents"];
      for (const part of touched) stale.add(part);
      timer ||= window.setTimeout(flush, GATHER_MS);
    };
    for (const kind of KINDS) source.addEventListener(kind, heard);
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, [client]);
}
