// requests → what tests may see of them: never a key, never an image
import type { Json } from "@vision-agent/protocol";
import type { Request } from "./answer.ts";
import { isObject } from "./check-body.ts";
import type { RecordedCall } from "./fake-server.ts";

const LONGEST_TEXT = 200;

export interface CallNote {
  readonly call: RecordedCall;
  setStatus(status: number): void;
}

export function noteCall(request: Request): CallNote {
  const headers = Object.entries(request.headers).filter(([name]) => name !== "authorization");
  const state: { status: number | undefined } = { status: undefined };
  const call: RecordedCall = {
    method: request.method,
    path: request.path,
    query: [...request.query.keys()].sort(),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    keys: {
      query: request.query.has("api_key"),
      header: /^bearer ./i.test(request.headers.authorization ?? ""),
      body: isObject(request.json) && typeof request.json.api_key === "string",
    },
    bodyBytes: request.raw.length,
    body: request.json === undefined ? undefined : summarise(request.json),
    get status() {
      return state.status;
    },
  };
  return {
    call,
    setStatus(status) {
      state.status = status;
    },
  };
}

/** The key of a request: query before header before body. */
export function keyOf(request: Pick<Request, "query" | "headers" | "json">): string | undefined {
  const bearer = /^bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const inBody = isObject(request.json) && typeof request.json.api_key === "string" ? request.json.api_key : undefined;
  return request.query.get("api_key") ?? bearer ?? inBody;
}

function summarise(value: Json): Json {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, 20)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(summarise);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === "api_key" ? "***" : summarise(item)]),
  );
}
