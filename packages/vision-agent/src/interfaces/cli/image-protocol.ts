// what a terminal says of itself → how it takes pictures
import type { EnvironmentVariables } from "@vision-agent/agent-core";

/** How a terminal takes pictures between its lines. */
export type ImageProtocol = "kitty" | "iterm2" | "sixel";

const KITTY = /^(?:xterm-kitty|xterm-ghostty)$/;
const SIXEL = /^(?:foot|mlterm|yaft|xterm-sixel|contour)/;

/** What the terminal says of itself; undefined when it draws no pictures, or something between would garble them. */
export function findImageProtocol(env: EnvironmentVariables): ImageProtocol | undefined {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  if (env.TMUX || /^(?:screen|tmux)/.test(TERM) || TERM === "dumb") return undefined;
  if (env.KITTY_WINDOW_ID || KITTY.test(TERM) || TERM_PROGRAM === "ghostty") return "kitty";
  if (["iTerm.app", "WezTerm", "mintty"].includes(TERM_PROGRAM) || LC_TERMINAL === "iTerm2") return "iterm2";
  return SIXEL.test(TERM) ? "sixel" : undefined;
}

/** Pixels of a picture between lines; about half of a usual window. */
export const INLINE_WIDTH = 480;
