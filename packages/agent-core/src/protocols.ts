// The wire

// The vocabularies that events are told in
export { type CoreEvent, type CoreEventType, toCoreEvent } from "./protocols/core-event.ts";
export { type FlowEvent, toFlowEvent } from "./protocols/flow-event.ts";
export { type SimpleSseMessage, toSimpleSse } from "./protocols/simple-sse.ts";
export { encodeSse, readSse, SSE_HEADERS, SSE_KEEP_ALIVE, type SseMessage } from "./protocols/sse.ts";
export { createUiStream, UI_STREAM_END, UI_STREAM_HEADERS, type UiChunk } from "./protocols/ui-stream.ts";
