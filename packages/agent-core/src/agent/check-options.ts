// options of a program in JavaScript → those of a wrong kind are named, with what to write instead
import { isObject } from "../types/json.ts";
import { findUnknownOption } from "../types/known-options.ts";
import { bad, EXECUTE_KEYS, EXECUTOR_KEYS, findUnknownPart, RESUME_KEYS, refuseUnknown } from "./executor-options.ts";

/** Names that other libraries use, and what to write here. */
const STOP_NAMES = { maxSteps: "`stop: { maxIterations }`", stopWhen: "`stop`" };
const AGENT_NAMES = { ...STOP_NAMES, system: "`instructions`", systemPrompt: "`instructions`" };
const RUN_NAMES = {
  ...STOP_NAMES,
  sessionId: "`session`",
  userId: "`user`",
  principal: "`user`",
  schema: "`output`",
  abortSignal: "`signal`",
  system: "`instructions` of createAgent",
};

const { llm: _llm, prompt: _prompt, ...sharedKeys } = EXECUTOR_KEYS;
const AGENT_KEYS = { ...sharedKeys, instructions: true };

const { sessionId: _sessionId, text: _text, principal: _asker, checkOutput: _check, ...messageKeys } = EXECUTE_KEYS;
const RUN_KEYS = { ...messageKeys, session: true, user: true, output: true, onPause: true };

const { principal: _answerer, checkOutput: _checkAgain, ...answerKeys } = RESUME_KEYS;
const RESUME_MESSAGE_KEYS = { ...answerKeys, user: true, onPause: true };

/** Throws `AgentError` kind `invalid`, code `bad_options`. */
export function checkAgentOptions(options: unknown): void {
  const given = toGiven(options, "createAgent");
  const { model, tools, instructions } = given;
  if (!isObject(model) || typeof model.id !== "string" || !isObject(model.client)) {
    refuse('`model` is what anthropic("…") or openai("…") gives, or { id, client }');
  }
  for (const name of ["stream", "profile"] as const) {
    if (typeof model.client[name] !== "function") refuse(`The client of \`model\` has no function \`${name}\``);
  }
  const isRegistry = isObject(tools) && typeof tools.listTools === "function";
  if (tools !== undefined && !Array.isArray(tools) && !isRegistry) refuse("`tools` is a list of tools, or a registry");
  const isSource = isObject(instructions) && typeof instructions.system === "function";
  if (instructions !== undefined && !["string", "function"].includes(typeof instructions) && !isSource) {
    refuse("`instructions` is a text, a function that gives one, or a PromptSource");
  }
  refuseUnknown(findUnknownOption(given, AGENT_KEYS, { others: AGENT_NAMES }));
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
  if (tools !== undefined && !isObject(tools)) {
    refuse("`tools` of a run is { allow: [names] } or { deny: [names] }; the tools themselves go to createAgent");
  }
  if (images !== undefined && !(Array.isArray(images) && images.every(isPicture))) {
    refuse("`images` is a list of { path }, { bytes, mediaType } or { artifactId }");
  }
  refuseUnknown(findUnknownOption(given, RUN_KEYS, { others: RUN_NAMES }) ?? findUnknownPart(given));
}

/** Throws `AgentError` kind `invalid`, code `bad_options`. */
export function checkResumeMessage(options: unknown): void {
  refuseUnknown(findUnknownOption(toGiven(options, "resume"), RESUME_MESSAGE_KEYS, { others: RUN_NAMES }));
}

function toGiven(options: unknown, owner: string): { readonly [name: string]: unknown } {
  return isObject(options) ? options : refuse(`The options of ${owner} are an object`);
}

function isPicture(image: unknown): boolean {
  if (!isObject(image)) return false;
  return typeof image.path === "string" || typeof image.artifactId === "string" || image.bytes instanceof Uint8Array;
}

function refuse(what: string): never {
  throw bad(`${what}.`);
}
