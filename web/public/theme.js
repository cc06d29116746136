// Runs before the first paint, so that the chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem("agenttwin.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system's theme.
}
