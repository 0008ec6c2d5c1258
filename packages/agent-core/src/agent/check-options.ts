// options of a program in JavaScript → those of a wrong kind are named, with what to write instead
import { DEFAULT_RETRY } from "../llm/retry.ts";
import { nearestName } from "../tools/argument-check.ts";
import { agentError } from "../types/errors.ts";
import { DEFAULT_TIMERS } from "./options.ts";

type Given = { readonly [name: string]: unknown };

/** Names that other libraries use, and what to write here. */
const AGENT_NAMES: Names = {
  system: "`instructions`",
  systemPrompt: "`instructions`",
  maxSteps: "`stop: { maxIterations }`",
  stopWhen: "`stop`",
};
const RUN_NAMES: Names = {
  maxSteps: "`stop: { maxIterations }`",
  stopWhen: "`stop`",
  sessionId: "`session`",
  userId: "`user`",
  principal: "`user`",
  schema: "`output`",
  abortSignal: "`signal`",
  system: "`instructions` of createAgent",
};

const AGENT_OPTIONS = [
  ...["model", "instructions", "tools", "sessions", "artifacts", "clock", "ids", "stop", "timers", "retry", "random"],
  ...["keepRuns", "context", "flush", "contextManager", "toolExecutor", "environment", "budget", "authorize", "guard"],
  ...["artifactRegistry", "onEvent", "secrets"],
];
const RUN_OPTIONS = [
  ...["session", "user", "output", "onPause", "images", "visionMode", "model", "config", "origin", "mode", "stop"],
  ...["tools", "dedupeKey", "signal"],
];
const RETRY_OPTIONS = Object.keys(DEFAULT_RETRY);
const TIMER_OPTIONS = Object.keys(DEFAULT_TIMERS);

/** Throws `AgentError` kind `invalid`, code `bad_options`. */
export function checkAgentOptions(options: unknown): void {
  const given = toGiven(options, "createAgent");
  const { model, tools, instructions, retry, timers } = given;
  if (!isGiven(model) || typeof model.id !== "string" || !isGiven(model.client)) {
    refuse('`model` is what anthropic("…") or openai("…") gives, or { id, client }');
  }
  for (const name of ["stream", "profile"] as const) {
    if (typeof model.client[name] !== "function") refuse(`The client of \`model\` has no function \`${name}\``);
  }
  const isRegistry = isGiven(tools) && typeof tools.listTools === "function";
  if (tools !== undefined && !Array.isArray(tools) && !isRegistry) refuse("`tools` is a list of tools, or a registry");
  const isSource = isGiven(instructions) && typeof instructions.system === "function";
  if (instructions !== undefined && !["string", "function"].includes(typeof instructions) && !isSource) {
    refuse("`instructions` is a text, a function that gives one, or a PromptSource");
  }
  checkNames(given, AGENT_OPTIONS, { others: AGENT_NAMES });
  checkNames(retry ?? {}, RETRY_OPTIONS, { owner: "retry." });
  checkNames(timers ?? {}, TIMER_OPTIONS, { owner: "timers." });
}

/** Throws `AgentError` kind `invalid`, code `bad_options`. */
export function checkMessage(message: unknown, options: unknown): void {
  if (typeof message !== "string") refuse("The message is a text; what was said before is kept under `session`");
  const given = toGiven(options, "run");
  const { session, user, model, tools, images } = given;
  if (session !== undefined && typeof session !== "string") refuse("`session` is a text");
  if (user !== undefined && typeof user !== "string") refuse("`user` is the id of a person, a text");
  if (model !== undefined && typeof model !== "string") {
    refuse("`model` of a run is the id of a model of the same client; for another client make another agent");
  }
  if (tools !== undefined && !isGiven(tools)) {
    refuse("`tools` of a run is { allow: [names] } or { deny: [names] }; the tools themselves go to createAgent");
  }
  if (images !== undefined && !(Array.isArray(images) && images.every(isPicture))) {
    refuse("`images` is a list of { path }, { bytes, mediaType } or { artifactId }");
  }
  checkNames(given, RUN_OPTIONS, { others: RUN_NAMES });
}

/** An option that does nothing would be missed where it matters, such as a limit of money. */
function checkNames(given: object, known: readonly string[], { owner = "", others = {} as Names } = {}): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const here = others[name] ?? (near === undefined ? `one of ${known.join(", ")}` : `\`${owner}${near}\``);
    refuse(`There is no option \`${owner}${name}\`: write ${here}`);
  }
}

type Names = { readonly [name: string]: string };

function toGiven(options: unknown, owner: string): Given {
  return isGiven(options) ? options : refuse(`The options of ${owner} are an object`);
}

function isPicture(image: unknown): boolean {
  if (!isGiven(image)) return false;
  return typeof image.path === "string" || typeof image.artifactId === "string" || image.bytes instanceof Uint8Array;
}

function isGiven(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(what: string): never {
  throw agentError("invalid", "bad_options", `${what}.`);
}
