// the five error shapes of a server (and plain text) → one description

import type { WorkflowProblem } from "@vision-agent/protocol";
import { z } from "zod";
import { type BlockProblem, type ClientError, type ClientErrorKind, clientError } from "../errors.ts";
import { redact } from "../redact.ts";

type ErrorBody = ReturnType<typeof parseErrorBody>;

const LONGEST_DETAIL = 400;
const MOST_DETAILS = 10;
const NOWHERE = /^(?:Not Found|Method Not Allowed)$/;

/** Servers send the word "None" where they mean nothing. */
const word = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((text) => (text === null || text === "None" || text === "" ? undefined : text));

const blockSchema = z.object({
  block_id: word,
  block_type: word,
  block_details: word,
  property_name: word,
  property_details: word,
});

const bodySchema = z.object({
  message: word,
  help_url: word,
  error_type: word,
  inner_error_message: word,
  blocks_errors: z.array(blockSchema).nullish().catch(undefined),
  feature: word,
  replacement: word,
  detail: z
    .union([
      z.string(),
      z.object({ message: z.string() }),
      z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() })),
    ])
    .optional()
    .catch(undefined),
});
type Body = z.infer<typeof bodySchema>;

/** Reads what can be read and never throws; nothing in it shows a key, a picture or a traceback. */
export function parseErrorBody(text: string, status: number, secrets: readonly string[]) {
  const body = bodySchema.safeParse(parseJson(text)).data;
  if (body === undefined) {
    const words = text.trimStart().startsWith("<") ? "" : shorten(redact(text.trim(), secrets));
    const message = words === "" ? `The server answered ${status} without a reason.` : words;
    return { message, errorType: undefined, helpUrl: undefined, blocks: [], isMissingRoute: false };
  }
  const clean = (words: string | undefined): string | undefined => words && shorten(redact(words, secrets));
  const blocks = (body.blocks_errors ?? []).map(
    (block): BlockProblem => ({
      step: block.block_id ?? null,
      blockType: block.block_type ?? null,
      property: block.property_name ?? null,
      message: clean(block.property_details ?? block.block_details) ?? null,
    }),
  );
  return {
    message: clean(wordsOf(body)) ?? `The server answered ${status} without a reason.`,
    errorType: body.error_type,
    helpUrl: body.help_url,
    blocks: blocks.slice(0, MOST_DETAILS),
    /** FastAPI's own words for a path that does not exist, or not with this method. */
    isMissingRoute: typeof body.detail === "string" && NOWHERE.test(body.detail),
  };
}

function wordsOf({ detail, message, inner_error_message: inner, feature, replacement }: Body): string | undefined {
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) {
    // The offending input stands beside these words: it is never read.
    const parts = detail.slice(0, MOST_DETAILS).map(({ loc, msg }) => `${loc.slice(1).join(".") || "body"}: ${msg}`);
    return parts.join("; ");
  }
  if (detail !== undefined) return detail.message;
  if (feature !== undefined) return `${message ?? feature} was removed.${replacement ? ` Use ${replacement}.` : ""}`;
  if (message === undefined) return inner;
  const isVague = message.includes("Details provided in inner error");
  return isVague && inner !== undefined ? `${message.replace(/ ?Details provided.*$/, "")} ${inner}` : message;
}

/** An unknown block is answered with the names of all 400: they are left out. */
function shorten(text: string): string {
  const oneLine = text
    .replace(/ any of the expected tags: [\s\S]*$/, " any block that this server has.")
    .replace(/\s*\n\s*/g, " · ");
  return oneLine.length > LONGEST_DETAIL ? `${oneLine.slice(0, LONGEST_DETAIL).trimEnd()} …` : oneLine;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export interface RefusedAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** `what` names the call, for example `POST /infer/object_detection`. */
export function toClientError(answer: RefusedAnswer, what: string, secrets: readonly string[]): ClientError {
  const body = parseErrorBody(answer.body, answer.status, secrets);
  return clientError(kindOf(answer, body), `${what}: ${body.message}`, {
    status: answer.status,
    errorType: body.errorType,
    blocks: body.blocks,
    helpUrl: body.helpUrl,
    retryAfterMs: answer.retryAfterMs,
  });
}

function kindOf({ status, retryAfterMs }: RefusedAnswer, body: ErrorBody): ClientErrorKind {
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 400:
      return body.message.includes("API key is missing") ? "auth" : "invalid";
    case 402:
    case 423:
    case 507:
      return "quota";
    case 404:
      return body.isMissingRoute ? "unsupported" : "not_found";
    case 405:
    case 410:
    case 501:
      return "unsupported";
    case 429:
      return "busy";
    case 503:
      return retryAfterMs !== undefined ? "busy" : "server";
    default:
      return statusClass(status);
  }
}

function statusClass(status: number): ClientErrorKind {
  if (status >= 500) return "server";
  return status >= 400 ? "invalid" : "protocol";
}

/** This server will never run it, though it says that the fault is its own. */
const FORBIDDEN_HERE = "WorkflowEnvironmentConfigurationError";

/** Undefined when the error is about something else than the workflow. */
export function toWorkflowProblems(error: ClientError): readonly WorkflowProblem[] | undefined {
  const { kind, status, errorType, blocks, message } = error;
  const isRefused = kind === "invalid" && (errorType !== undefined || status === 422);
  if (!isRefused && errorType !== FORBIDDEN_HERE) return undefined;
  const words = message.replace(/^(?:GET|POST) \S+: /, "");
  if (blocks.length === 0) return [{ ...placeIn(words), message: words }];
  return blocks.map((block) => ({
    step: block.step,
    property: block.property,
    message: block.message ?? words,
  }));
}

/** Some errors name step and property in their sentence only. */
function placeIn(message: string): Pick<WorkflowProblem, "step" | "property"> {
  return {
    step: /step: \$steps\.([\w-]+)/.exec(message)?.[1] ?? null,
    property: /property: ([\w-]+)/.exec(message)?.[1] ?? null,
  };
}
