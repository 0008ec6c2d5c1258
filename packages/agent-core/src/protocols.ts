// Events on the wire
export { type SimpleSseMessage, toSimpleSse } from "./protocols/simple-sse.ts";
export { encodeSse, readSse, SSE_HEADERS, SSE_KEEP_ALIVE, type SseMessage } from "./protocols/sse.ts";
