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
  // Plain elements: the theme alone says how they look, and a heading never outranks the page's own.
  ...{ pre: "pre", code: "code", table: "table", strong: "strong", h1: "h3", h2: "h3", h3: "h3" },
} as Components;

export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }): ReactNode {
  return (
    <Streamdown className="prose" mode={streaming ? "streaming" : "static"} controls={false} components={COMPONENTS}>
      {text}
    </Streamdown>
  );
}
