import { useState } from "react";

type Theme = "system" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const KEY = "agenttwin.theme";

function kept(): Theme {
  const theme = document.documentElement.dataset["theme"];
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(kept);
  const turn = () => {
    const next = NEXT[theme];
    if (next === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Kept for this page only.
    }
    setTheme(next);
    dispatchEvent(new Event("agenttwin:theme"));
  };
  return (
    <button type="button" className="button quiet small" onClick={turn} aria-label={`Theme: ${theme}. Change it`}>
      <span>Theme<span className="theme-name">{`: ${theme}`}</span></span>
    </button>
  );
}
