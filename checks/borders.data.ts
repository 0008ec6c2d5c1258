/** What each package may import. Nothing else crosses a package border. */
export const PACKAGES: Readonly<
  Record<string, { readonly ours: readonly string[]; readonly typesOnly?: true; readonly values?: readonly string[] }>
> = {
  protocol: { ours: [] },
  "agent-core": { ours: [] },
  "vision-engine": { ours: ["protocol"] },
  "inference-client": { ours: ["protocol"] },
  "vision-agent": { ours: ["protocol", "agent-core", "vision-engine", "inference-client"] },
  // Schemas would bring zod into the browser; these entries have none.
  web: { ours: ["protocol"], typesOnly: true, values: ["@vision-agent/protocol/step-sentence"] },
};

/** What a package never imports from outside, by the beginning of the name. */
export const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  protocol: ["node:", "fastify", "@anthropic-ai", "onnxruntime"],
  "vision-engine": ["fastify", "@fastify", "@anthropic-ai", "openai"],
  "inference-client": ["onnxruntime"],
  web: ["node:"],
};

/** Inside a package a folder imports from itself and from earlier rows only. Files at the top may import anything. */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "vision-agent": [
    ["config", "workspace"],
    ["store"],
    ["access", "egress"],
    ["backends", "memory", "skills"],
    ["pipelines"],
    ["scene"],
    ["watches"],
    ["alerts"],
    ["replay"],
    ["tools"],
    ["agent"],
    ["sessions"],
    ["monitor"],
    ["evals"],
    ["interfaces"],
    ["testing"],
  ],
  "vision-engine": [
    ["config", "end-thread", "errors", "native-libraries", "nearest-name", "picture-formats", "seeded-random"],
    ["frames"],
    ["geometry"],
    ["pixels"],
    ["sources", "models", "tracking"],
    ["query"],
    ["blocks"],
    ["workflow", "effects"],
    ["pipeline"],
    ["testing"],
  ],
  "inference-client": [
    ["config", "errors", "redact", "client-clock"],
    ["wire"],
    ["http"],
    ["supervise", "webrtc"],
    ["testing"],
  ],
  "agent-core": [
    ["types"],
    ["observability", "config", "files"],
    ["llm", "artifacts", "session"],
    ["tools", "context", "budget"],
    ["agent"],
    ["jobs", "protocols"],
    ["testing"],
  ],
};

/** Only here may agent-core touch the disk. */
export const AGENT_CORE_DISK: readonly string[] = ["artifacts/", "files/", "session/", "jobs/", "budget/"];

/** Words that agent-core does not know. */
export const AGENT_CORE_FOREIGN_WORDS: RegExp = /\b(camera|frame|pipeline|workflow|detection)s?\b/i;
