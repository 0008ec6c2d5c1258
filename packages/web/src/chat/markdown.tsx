import type { ComponentProps, ReactNode } from "react";
import { type Components, Streamdown } from "streamdown";

/** Text of the assistant is data: links open apart, and no picture is fetched because a sentence says so. */
const COMPONENTS = {
  a: ({ href, children }: ComponentProps<"a">) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ alt }: ComponentProps<"img">) => <span>{alt}</span>,
  // What may be wider than the chat scrolls by itself, and a box that scrolls must be reachable by keyboard.
  pre: ({ children }: ComponentProps<"pre">) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }: ComponentProps<"table">) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </section>
  ),
  // Plain elements: the theme alone says how they look, and a heading never outranks the page's own.
  ...{ code: "code", strong: "strong", h1: "h3", h2: "h3", h3: "h3" },
} as Components;

export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }): ReactNode {
  return (
    <Streamdown className="prose" mode={streaming ? "streaming" : "static"} controls={false} components={COMPONENTS}>
      {text}
    </Streamdown>
  );
}
