import { type FormEvent, useState } from "react";
import { keep } from "../api/client";

/** Asks for a key where the server wants one. It is kept for this tab alone. */
export function SignIn({ refused }: { refused: boolean }) {
  const [secret, setSecret] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    keep(secret.trim());
    location.reload();
  };
  return (
    <main id="main" className="sign-in">
      <h1>AgentTwin</h1>
      <p className="prose">This server wants a key. Whoever runs it can make one under Settings, or with a key that has the scope admin.</p>
      {refused && <div className="problem" role="alert"><strong>That key is not valid here.</strong><span>It may be mistyped, revoked or too old.</span></div>}
      <form className="bar" onSubmit={send}>
        <input className="field" type="password" autoComplete="off" aria-label="Key" placeholder="atk_…" required value={secret} onChange={(event) => setSecret(event.target.value)} />
        <button type="submit" className="button primary">Open</button>
      </form>
    </main>
  );
}
