import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/comparison.css";
import "./styles/case.css";
import "./styles/screens.css";

const root = document.getElementById("app");
if (root) createRoot(root).render(<StrictMode><App /></StrictMode>);
