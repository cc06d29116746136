import { useRef } from "react";
import { download, segment } from "../../api/client";
import { useWrite } from "../../api/queries";
import { Trouble } from "../../parts/parts";

const FORMATS: Record<string, string> = {
  html: "html", markdown: "md", json: "json", junit: "xml", sarif: "sarif", terminal: "txt",
};

export function Export({ id }: { id: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const save = useWrite((format: string) =>
    download(`comparisons/${segment(id)}/report`, { format }, `comparison-${id}.${FORMATS[format]}`));
  const choose = (format: string) => {
    if (menu.current) menu.current.open = false;
    save.mutate(format);
  };
  return (
    <>
      <details className="menu" ref={menu}>
        <summary className="button">Export</summary>
        <ul>
          {Object.keys(FORMATS).map((format) => <li key={format}><button type="button" onClick={() => choose(format)}>{format}</button></li>)}
        </ul>
      </details>
      {save.error && <Trouble error={save.error} />}
    </>
  );
}
