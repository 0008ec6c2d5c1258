// the text of a JSON body → a value, when it is not nested deeper than anything here needs
import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { describeIssue } from "../../workspace/describe-issue.ts";
import type { HttpServer } from "./http-parts.ts";
import { HttpProblem } from "./http-problem.ts";

/** What walks a value does so by calling itself: thousands of levels end in a full stack. */
const DEEPEST = 64;

export function takeJson(server: HttpServer): void {
  const parse = server.getDefaultJsonParser("error", "error");
  server.removeContentTypeParser("application/json");
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    // Many clients name a type where there is nothing to send.
    if (text === "" && expectsNothing(request)) return done(null, undefined);
    if (isTooDeep(text)) return done(tooDeep(), undefined);
    return parse(request, text, done);
  });
}

function expectsNothing({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.schema?.body === undefined;
}

export function tooDeep(): HttpProblem {
  return new HttpProblem(400, "invalid_body", `The JSON is nested deeper than ${DEEPEST} levels.`);
}

/** Counts brackets outside of texts. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inText) {
      if (letter === "\\") at += 1;
      else if (letter === '"') inText = false;
    } else if (letter === '"') inText = true;
    else if (letter === "{" || letter === "[") {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (letter === "}" || letter === "]") depth -= 1;
  }
  return false;
}

/** Says in a sentence what a request must be. A misspelt key, which a schema leaves out, is a mistake, too. */
export const checkRequestPart: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (sent: unknown) => {
    const { data, error } = schema.safeParse(sent);
    const refuse = (sentence: string) => ({ error: new HttpProblem(400, "invalid_request", sentence) });
    if (error)
      return refuse(
        sent === undefined || sent === null ? "The request needs a body in JSON." : describeIssue(error, sent),
      );
    const [key] = httpPart === "body" ? keysLeftOut(sent, data) : [];
    return key === undefined
      ? { value: data }
      : refuse(`There is no ${key} here: leave it out, or look at its spelling.`);
  };

/** Nested as deep as `takeJson` allows. */
function keysLeftOut(sent: unknown, kept: unknown, at: readonly string[] = []): readonly string[] {
  if (!isRecord(sent) || !isRecord(kept)) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    const place = [...at, key];
    return Object.hasOwn(kept, key) ? keysLeftOut(value, kept[key], place) : [place.join(".")];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
