import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { ApiError } from "./api/client";
import { Empty, Waiting } from "./parts/parts";
import { Link, match, useAddress } from "./router";
import { Case } from "./screens/case/Case";
import { Comparison } from "./screens/comparison/Comparison";
import { Shell } from "./shell/Shell";

const TRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < TRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      refetchInterval: (query) => (query.state.error instanceof ApiError && query.state.error.status === 0 ? 3000 : false),
    },
  },
});

type Parameters = Record<string, string>;
// Screens that are not the first thing someone opens come when they are asked for.
const Home = lazy(() => import("./screens/home/Home"));
const Comparisons = lazy(() => import("./screens/comparisons/Comparisons"));
const Runs = lazy(() => import("./screens/runs/Runs"));
const PairScreen = lazy(() => import("./screens/runs/PairScreen"));
const RunScreen = lazy(() => import("./screens/runs/RunScreen"));
const RunCase = lazy(() => import("./screens/runs/RunCase"));
const Scenarios = lazy(() => import("./screens/scenarios/Scenarios"));
const Scenario = lazy(() => import("./screens/scenarios/Scenario"));
const Twins = lazy(() => import("./screens/twins/Twins"));
const Twin = lazy(() => import("./screens/twins/Twin"));
const Agents = lazy(() => import("./screens/agents/Agents"));
const Agent = lazy(() => import("./screens/agents/Agent"));
const Settings = lazy(() => import("./screens/settings/Settings"));

const ROUTES: [string, ComponentType<never>][] = [
  ["", Home],
  ["/comparisons", Comparisons],
  ["/comparisons/:id", Comparison],
  ["/comparisons/:id/cases/:scenario", Case],
  ["/runs", Runs],
  ["/runs/pairs/:id", PairScreen],
  ["/runs/:id", RunScreen],
  ["/runs/:id/cases/:scenario", RunCase],
  ["/scenarios", Scenarios],
  ["/scenarios/:name", Scenario],
  ["/twins", Twins],
  ["/twins/:name", Twin],
  ["/agents", Agents],
  ["/agents/:name", Agent],
  ["/settings", Settings],
];

function Screen() {
  const { path } = useAddress();
  for (const [pattern, screen] of ROUTES) {
    const found = match(pattern, path);
    const Found = screen as ComponentType<Parameters>;
    if (found) return <Found key={path} {...found} />;
  }
  return <Empty title="There is nothing at this address."><Link href="/">Home</Link></Empty>;
}

/** A fault of the app itself ends here: it is said, and the rest stays usable. */
class Guard extends Component<{ children: ReactNode }, { broken: string | null }> {
  override state = { broken: null };
  static getDerivedStateFromError(error: unknown) {
    return { broken: error instanceof Error ? error.message : String(error) };
  }
  override render() {
    if (this.state.broken === null) return this.props.children;
    return (
      <div className="problem" role="alert">
        <strong>This screen broke.</strong>
        <span className="mono">{this.state.broken}</span>
        <span>The server and its data are not affected. Reload the page; if it breaks again, report what stands above.</span>
      </div>
    );
  }
}

function Guarded() {
  const { path } = useAddress();
  return <Guard key={path}><Suspense fallback={<Waiting rows={10} />}><Screen /></Suspense></Guard>;
}

export function App() {
  return <QueryClientProvider client={client}><Shell><Guarded /></Shell></QueryClientProvider>;
}
