import { type FormEvent, useState } from "react";
import { api, segment } from "../../api/client";
import { usePages, useWrite } from "../../api/queries";
import type { Key, KeyMade } from "../../api/types";
import { Ago, Command, Trouble, Waiting } from "../../parts/parts";

const ENDS = { "in 30 days": 30, "in 90 days": 90, "in a year": 365, "when it is revoked": null } as const;
const DAY_MS = 86_400_000;

/** Keys for programs and people elsewhere; a secret is shown once, here. Nobody gives more than they have. */
export function Keys({ may }: { may: string[] }) {
  const keys = usePages<Key>("keys", {}, 100);
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(["read"]);
  const [ends, setEnds] = useState<keyof typeof ENDS>("in 90 days");
  const days = ENDS[ends];
  const expires_at = () => (days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString());
  const create = useWrite(() => api<KeyMade>("keys", { method: "POST", body: { name, scopes, expires_at: expires_at() } }), ["keys", "audit"]);
  const revoke = useWrite((id: string) => api(`keys/${segment(id)}`, { method: "DELETE" }), ["keys", "audit"]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined, { onSuccess: () => setName("") });
  };
  const turn = (scope: string) => setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <section className="card" aria-label="Keys">
      <header><h2>Keys</h2></header>
      {keys.error ? <Trouble error={keys.error} /> : !keys.data ? <Waiting rows={3} /> : keys.items.length === 0 ? <p className="body muted">There is no key. A server that others reach needs one.</p> : (
        <div className="scroll" tabIndex={0} role="region" aria-label="List of keys"><table>
          <thead><tr><th scope="col">name</th><th scope="col">may</th><th scope="col">made</th><th scope="col">last used</th><th scope="col">ends</th><th scope="col"><span className="hidden">Revoke</span></th></tr></thead>
          <tbody>{keys.items.map((one) => (
            <tr key={one.id}>
              <td>{one.name} <span className="mono muted">{one.hint}…</span></td><td>{one.scopes.join(", ")}</td><td><Ago at={one.created_at} /></td><td><Ago at={one.last_used_at} /></td><td>{one.expires_at ? <Ago at={one.expires_at} /> : <span className="muted">when it is revoked</span>}</td>
              <td className="num">{one.revoked_at ? <span className="muted">revoked</span> : <button type="button" className="button small" aria-label={`Revoke ${one.name}`} onClick={() => revoke.mutate(one.id)}>Revoke</button>}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
      {create.data && <div className="body stack"><p><strong>The secret of {create.data.key.name}, shown this once:</strong></p><Command text={create.data.secret} /></div>}
      <form className="body bar" onSubmit={send}>
        <input className="field short" aria-label="Name of the new key" placeholder="name" required value={name} onChange={(event) => setName(event.target.value)} />
        {may.map((scope) => <label key={scope} className="bar"><input type="checkbox" checked={scopes.includes(scope)} onChange={() => turn(scope)} /> {scope}</label>)}
        <label className="bar">ends <select className="field" value={ends} onChange={(event) => setEnds(event.target.value as keyof typeof ENDS)}>{Object.keys(ENDS).map((word) => <option key={word}>{word}</option>)}</select></label>
        <button type="submit" className="button" disabled={create.isPending || scopes.length === 0}>New key</button>
      </form>
      {(create.error ?? revoke.error) && <Trouble error={(create.error ?? revoke.error)!} />}
    </section>
  );
}
