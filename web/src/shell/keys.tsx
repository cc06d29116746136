/** Keys: one listener, one list; `?` shows what the present screen answers to. */
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Binding {
  key: string;
  does: string;
  run: () => void;
}

let layers: { bindings: Binding[] }[] = [];
const listeners = new Set<() => void>();
const told = () => listeners.forEach((listener) => listener());
const FIRST_OF_TWO = "g";
const SECOND_WITHIN_MS = 1200;

function writing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

let first = 0;
addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
  if (writing(event.target) && event.key !== "Escape") return;
  if (event.key === FIRST_OF_TWO) {
    first = event.timeStamp;
    return;
  }
  const key = first && event.timeStamp - first < SECOND_WITHIN_MS ? `g ${event.key}` : event.key;
  first = 0;
  const onControl = event.target instanceof HTMLElement && /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
  if (onControl && event.key === "Enter") return;
  for (const layer of [...layers].reverse()) {
    const binding = layer.bindings.find((one) => one.key === key);
    if (!binding) continue;
    event.preventDefault();
    binding.run();
    return;
  }
});

/** Keys that answer while the component is on the screen. */
export function useKeys(bindings: Binding[]): void {
  const layer = useRef({ bindings });
  layer.current.bindings = bindings;
  useEffect(() => {
    const mine = layer.current;
    layers = [...layers, mine];
    told();
    return () => {
      layers = layers.filter((one) => one !== mine);
      told();
    };
  }, []);
}

function useLayers() {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => layers);
}

export function KeyHelp({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const all = useLayers().flatMap((layer) => layer.bindings).filter((one) => one.key !== "Escape");
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet" onClose={close} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {all.map((one) => (
          <div key={one.key}>
            <dt>{one.key.split(" ").map((part) => <kbd key={part}>{part}</kbd>)}</dt>
            <dd>{one.does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="button" onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
