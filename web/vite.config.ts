import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The build goes where the installed package keeps it, so that a checkout's server finds it too.
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/agenttwin/_web",
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of its own: the Content-Security-Policy names no data: or inline source.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": process.env["AGENTTWIN_SERVER"] ?? "http://127.0.0.1:8321" } },
});
