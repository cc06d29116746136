import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { address, authorization } from "./client";

const GATHER_MS = 400; // A fast run tells hundreds of cases a second; the screen follows a few times a second.
const AGAIN_MS = 2000;
const LISTS = ["pairs", "runs", "comparisons", "trend", "agents", "scenarios"];

/** Follows the server's event stream and fetches again what an event is about. */
export function useEvents(): void {
  const client = useQueryClient();
  useEffect(() => {
    const end = new AbortController();
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
    const heard = (kind: string) => {
      for (const part of kind === "case.finished" ? ["pairs", "runs"] : LISTS) stale.add(part);
      timer ||= window.setTimeout(flush, GATHER_MS);
    };
    void follow(heard, end.signal);
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [client]);
}

/** Reads the stream for as long as the page lives; after a break it goes on behind the last event. */
async function follow(heard: (kind: string) => void, signal: AbortSignal): Promise<void> {
  // `fetch` and not EventSource, which cannot send a key.
  let last = "";
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", ...authorization(), ...(last && { "last-event-id": last }) };
      const answer = await fetch(address("events"), { headers, signal });
      if (answer.ok && answer.body) last = await read(answer.body, heard, last);
      else if (answer.status === 401 || answer.status === 403) return;
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function read(body: ReadableStream<Uint8Array>, heard: (kind: string) => void, before: string): Promise<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let [text, last] = ["", before];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return last;
      const blocks = (text + value).replaceAll("\r\n", "\n").split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
        last = fields.get("id") ?? last;
        const kind = fields.get("event");
        if (kind) heard(kind);
      }
    }
  } catch {
    return last;
  }
}
