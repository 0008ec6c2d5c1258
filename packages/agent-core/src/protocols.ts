// The wire

// The vocabularies that events are told in
export { encodeSse, readSse, SSE_HEADERS, SSE_KEEP_ALIVE, type SseMessage } from "./protocols/sse.ts";
export { createUiStream, UI_STREAM_END, UI_STREAM_HEADERS, type UiChunk } from "./protocols/ui-stream.ts";
export {
  type CoreEvent,
  type CoreEventType,
  type FlowEvent,
  type SimpleSseMessage,
  toCoreEvent,
  toFlowEvent,
  toSimpleSse,
} from "./protocols/vocabularies.ts";
