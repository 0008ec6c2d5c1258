// Spans and logs of whoever watches the agent

export { createEventSpans, type EventSpansOptions } from "./observability/event-spans.ts";
export { createRedactingLogger, type Logger } from "./observability/logger.ts";
export {
  type OtelOptions,
  type OtelSpan,
  type OtelTracer,
  type Span,
  type SpanValue,
  startOtelSpan,
} from "./observability/span.ts";
