// values of a workflow → HTTP request
import { inputError } from "../../errors.ts";
import { Timestamp } from "../../frames/frame.ts";
import { toText } from "../../query/python-text.ts";
import { type BlockInputs, type BlockValue, numberOf, textOf } from "../block.ts";
import type { HttpRequest } from "../effects.ts";
import {
  applyOperations,
  bytesOf,
  dictionaryOf,
  type NotificationTools,
  notificationBlock,
  required,
} from "./notification.ts";

const METHODS = ["GET", "POST", "PUT"] as const;

export const webhookSink = notificationBlock({
  type: "roboflow_core/webhook_sink@v1",
  description: "Sends values of a workflow to a web address, as JSON, as a form or as files.",
  phrase: "sends a web request",
  prepare(inputs, tools) {
    const url = addressOf(inputs);
    const request = requestOf(inputs, tools);
    const timeoutMs = 1000 * numberOf(inputs, "request_timeout");
    return {
      failure: "Failed to send webhook notification",
      destination: placeOf(url),
      secrets: Object.values(dictionaryOf(inputs, "headers")).map((value) => toText(value)),
      send: async () => {
        const http = required(tools.effects.http, "Sending web requests");
        const response = await http(url, { ...request, signal: AbortSignal.timeout(timeoutMs) });
        await response.body?.cancel();
        if (!response.ok) throw inputError(`the server answered ${response.status} ${response.statusText}`.trimEnd());
      },
    };
  },
});

/** The address with the query; a list gives its name once for each value. */
function addressOf(inputs: BlockInputs): string {
  const text = textOf(inputs, "url");
  if (!URL.canParse(text)) throw inputError(`"url" must be a whole address that begins with http:// or https://.`);
  const url = new URL(text);
  for (const [name, value] of Object.entries(dictionaryOf(inputs, "query_parameters"))) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null) url.searchParams.append(name, toText(item));
    }
  }
  return url.href;
}

/** Without user, password and query, which may hold keys. */
function placeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/** Files make it multipart and form data a form, and either replaces the JSON. */
function requestOf(inputs: BlockInputs, { queries }: NotificationTools): HttpRequest {
  const method = METHODS.find((known) => known === inputs.method);
  if (method === undefined) throw inputError(`Handler for HTTP method \`${String(inputs.method)}\` not registered`);
  const valuesOf = (property: string): BlockInputs =>
    applyOperations(dictionaryOf(inputs, property), dictionaryOf(inputs, `${property}_operations`), queries);
  const json = valuesOf("json_payload");
  const files = valuesOf("multi_part_encoded_files");
  const form = valuesOf("form_data");
  const headers = Object.fromEntries(
    Object.entries(dictionaryOf(inputs, "headers")).map(([name, value]) => [name, toText(value)]),
  );
  if (Object.keys(files).length > 0) return { method, headers, body: multipartOf(files, form) };
  if (Object.keys(form).length > 0) return { method, headers, body: formOf(form, new URLSearchParams()) };
  if (method === "GET" && Object.keys(json).length === 0) return { method, headers };
  return { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(toJson(json)) };
}

function formOf<T extends FormData | URLSearchParams>(fields: BlockInputs, body: T): T {
  for (const [name, value] of Object.entries(fields)) body.append(name, toText(value));
  return body;
}

function multipartOf(files: BlockInputs, form: BlockInputs): FormData {
  const body = formOf(form, new FormData());
  for (const [name, value] of Object.entries(files)) body.append(name, new Blob([bytesOf(value)]), name);
  return body;
}

/** Times as ISO text; what JSON cannot hold is refused. */
function toJson(value: BlockValue): unknown {
  if (value instanceof Timestamp) return value.iso;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    throw inputError(
      `"json_payload" cannot hold pictures, bytes or detections: put an operation before that makes text of them.`,
    );
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item as BlockValue)]));
}
