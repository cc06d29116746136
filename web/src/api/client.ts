/** How the app talks to its server: one function, one kind of error, the project in every address. */

export type Query = Record<string, string | number | boolean | undefined | null>;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly where: string | null,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

export function project(): string | null {
  return new URLSearchParams(location.search).get("project");
}

export function address(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  const name = project();
  if (name) params.set("project", name);
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") params.set(key, String(value));
  const text = params.toString();
  return `/api/v1/${path}${text ? `?${text}` : ""}`;
}

const KEY = "agenttwin.key";

/** The key that this tab was given, kept until the tab is closed. */
export function key(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function keep(secret: string | null): void {
  if (secret) sessionStorage.setItem(KEY, secret);
  else sessionStorage.removeItem(KEY);
}

export function authorization(): Record<string, string> {
  const secret = key();
  return secret ? { authorization: `Bearer ${secret}` } : {};
}

/** A name from outside, as one segment of a path. */
export const segment = encodeURIComponent;

interface Sent {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export async function api<T>(path: string, { method = "GET", query, body, signal }: Sent = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json", ...authorization() };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET") headers["idempotency-key"] = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  const init: RequestInit = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  if (signal) init.signal = signal;
  let answer: Response;
  try {
    answer = await fetch(address(path, query), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "UNREACHABLE", "The server does not answer.", null,
      "Is `agenttwin serve` still running? This page tries again by itself.");
  }
  if (answer.status === 204) return undefined as T;
  const text = await answer.text();
  if (!answer.ok) throw refusal(answer.status, text);
  return JSON.parse(text) as T;
}

/** Saves what the server answers as a file, under the name that the server gives it. */
export async function download(path: string, query: Query, otherwise: string): Promise<void> {
  const answer = await fetch(address(path, query), { headers: authorization() });
  if (!answer.ok) throw refusal(answer.status, await answer.text());
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get("content-disposition") ?? "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = named?.[1] ?? otherwise;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

function refusal(status: number, text: string): ApiError {
  try {
    const told = JSON.parse(text) as Partial<Record<"code" | "message" | "where" | "hint", string | null>>;
    return new ApiError(status, told.code ?? `HTTP_${status}`, told.message ?? "The server refused.",
      told.where ?? null, told.hint ?? null);
  } catch {
    return new ApiError(status, `HTTP_${status}`, `The server answered ${status}.`, null, null);
  }
}
