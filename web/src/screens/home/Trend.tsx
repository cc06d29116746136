import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useGet } from "../../api/queries";
import type { Classification, TrendPoint as Point } from "../../api/types";
import { Loaded } from "../../parts/parts";
import { CLASSES, WORST_FIRST } from "../../parts/words";

const HEIGHT = 220;
const WIDE = 480;
const TOKENS: Record<Classification, string> = {
  NEW_CRITICAL_FAILURE: "--critical",
  REGRESSED: "--regressed",
  INCOMPLETE: "--incomplete",
  INCONCLUSIVE: "--incomplete",
  IMPROVED: "--improved",
  UNCHANGED: "--unchanged",
};

export default function Trend({ agent }: { agent: string }) {
  const trend = useGet<Point[]>("trend", { agent });
  return (
    <Loaded of={trend} rows={8}>
      {(points) => <figure className="body trend"><Plot points={points} /><Table points={points} /></figure>}
    </Loaded>
  );
}

/** Both versions where there is room for them, else the candidate's. */
function label(point: Point | undefined, width: number): string {
  if (!point) return "";
  return width < WIDE ? point.candidate : `${point.baseline} → ${point.candidate}`;
}

/** Each class on top of the next, so that a bar is the whole of its cases; the quiet class at the bottom. */
function stacked(points: Point[]): { names: Classification[]; data: uPlot.AlignedData } {
  const names = WORST_FIRST.filter((name) => points.some((one) => one.counts[name]));
  const sums = names.map((_, index) =>
    points.map((one) => names.slice(index).reduce((sum, name) => sum + (one.counts[name] ?? 0), 0)),
  );
  return { names, data: [points.map((_, index) => index), ...sums] as uPlot.AlignedData };
}

function Plot({ points }: { points: Point[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [theme, turned] = useState(0);
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const turn = () => turned((count) => count + 1);
    media.addEventListener("change", turn);
    addEventListener("agenttwin:theme", turn);
    return () => {
      media.removeEventListener("change", turn);
      removeEventListener("agenttwin:theme", turn);
    };
  }, []);
  useEffect(() => {
    const parent = box.current;
    if (!parent) return;
    const css = getComputedStyle(document.documentElement);
    const token = (name: string) => css.getPropertyValue(name).trim();
    const { names, data } = stacked(points);
    const bars = uPlot.paths.bars?.({ size: [0.6, 48] });
    const axis = { stroke: token("--muted"), grid: { stroke: token("--line"), width: 1 }, ticks: { show: false } };
    const plot = new uPlot({
      width: parent.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: [-0.6, Math.max(points.length, 4) - 0.4] }, y: { range: (_, __, top) => [0, Math.max(1, top)] } },
      axes: [
        { ...axis, grid: { show: false }, splits: () => points.map((_, index) => index), values: (_, all) => all.map((at) => label(points[at], parent.clientWidth)) },
        { ...axis, size: 40, values: (_, all) => all.map((at) => (Number.isInteger(at) ? String(at) : "")) },
      ],
      series: [{}, ...names.map((name) => ({ fill: token(TOKENS[name]), stroke: token("--surface"), width: 1, points: { show: false }, ...(bars ? { paths: bars } : {}) }))],
    }, data, parent);
    const watch = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    watch.observe(parent);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [points, theme]);
  return <div ref={box} className="plot" aria-hidden="true" />;
}

function Table({ points }: { points: Point[] }) {
  const names = WORST_FIRST.filter((name) => points.some((one) => one.counts[name]));
  return (
    <details className="more">
      <summary>The numbers</summary>
      <table>
        <thead><tr><th scope="col">versions</th>{names.map((name) => <th key={name} scope="col" className="num"><span className={`c-${name}`} aria-hidden="true">{CLASSES[name].shape}</span> {CLASSES[name].many}</th>)}</tr></thead>
        <tbody>
          {points.map((one) => (
            <tr key={one.comparison}><td>{one.baseline} → {one.candidate}</td>{names.map((name) => <td key={name} className="num">{one.counts[name] ?? 0}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
