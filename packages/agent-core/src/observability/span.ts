// spans, and their way to OpenTelemetry by shape: the host hands in its tracer and this package needs none
import type { ErrorView } from "../types/errors.ts";
import type { Redactor } from "./redact.ts";

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

/** `SpanStatusCode.ERROR` */
const STATUS_ERROR = 2;

/** The part of OpenTelemetry's `Span` that is used. */
export interface OtelSpan {
  setAttribute(key: string, value: string | number | boolean | string[]): unknown;
  addEvent(name: string, attributes?: { [key: string]: string | number | boolean | string[] }): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that is used. `C` is its `Context`. */
export interface OtelTracer<S extends OtelSpan, C> {
  startSpan(name: string, options?: object, context?: C): S;
}

/** Where spans go. */
export interface OtelOptions<S extends OtelSpan, C> {
  readonly tracer: OtelTracer<S, C>;
  /** Every attribute and message goes through it. */
  readonly redactor: Redactor;
  /** Puts children under their parent: `(span) => trace.setSpan(context.active(), span)`. Without it they stand alone. */
  readonly contextOf?: (span: S) => C;
}

/** Starts a span that is reported to OpenTelemetry; so are its children. */
export function startOtelSpan<S extends OtelSpan, C>(name: string, options: OtelOptions<S, C>, parent?: S): Span {
  const { tracer, redactor, contextOf } = options;
  const span = tracer.startSpan(redactor.text(name), {}, parent && contextOf?.(parent));
  const toValue = (value: SpanValue): string | number | boolean | string[] => {
    if (typeof value === "string") return redactor.text(value);
    return typeof value === "object" ? value.map(redactor.text) : value;
  };
  let ended = false;
  return {
    set: (key, value) => void span.setAttribute(key, toValue(value)),
    event(eventName, attributes = {}) {
      const values = Object.entries(attributes).map(([key, value]) => [key, toValue(value)] as const);
      span.addEvent(redactor.text(eventName), Object.fromEntries(values));
    },
    child: (childName) => startOtelSpan(childName, options, span),
    end(error) {
      if (ended) return;
      ended = true;
      if (error) {
        span.setAttribute("error.type", error.code);
        span.setStatus({ code: STATUS_ERROR, message: redactor.text(error.message) });
      }
      span.end();
    },
  };
}
