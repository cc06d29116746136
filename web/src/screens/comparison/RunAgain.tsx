import { api, segment } from "../../api/client";
import { useWrite } from "../../api/queries";
import type { Pair } from "../../api/types";
import { Trouble } from "../../parts/parts";
import { go } from "../../router";

export function RunAgain({ id }: { id: string }) {
  const again = useWrite(() => api<Pair>(`pairs/${segment(id)}/again`, { method: "POST", body: {} }), ["pairs", "runs"]);
  return (
    <>
      <button
        type="button"
        className="button primary"
        disabled={again.isPending}
        onClick={() => again.mutate(undefined, { onSuccess: (pair) => go(`/runs/pairs/${segment(pair.id)}`) })}
      >
        Run again
      </button>
      {again.error && <Trouble error={again.error} />}
    </>
  );
}
