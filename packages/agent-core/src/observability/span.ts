import type { ErrorView } from "../types/errors.ts";

/** What a span says about itself. */
export type SpanValue = string | number | boolean | readonly string[];

/** A stretch of time with a name. Must not throw. */
export interface Span {
  set(key: string, value: SpanValue): void;
  /** Something that happened within it. */
  event(name: string, attributes?: { readonly [key: string]: SpanValue }): void;
  child(name: string): Span;
  /** May be called twice; the first counts. */
  end(error?: ErrorView): void;
}

/** For whoever wants none. */
export const noopSpan: Span = {
  set: () => undefined,
  event: () => undefined,
  child: () => noopSpan,
  end: () => undefined,
};
