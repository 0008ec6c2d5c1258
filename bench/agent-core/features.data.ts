// what each library has, as its documentation or its types say: agent-core; the documentation in `ai` 7.0.169 and
// `@ai-sdk/anthropic` 4.0.102; the READMEs of `@earendil-works/pi-agent-core` and `pi-ai` 1.5.0

type Row = readonly [feature: string, ours: string, ai: string, pi: string];

export const FEATURES: readonly Row[] = [
  [
    "providers",
    "Anthropic, OpenAI (Chat, Responses), servers that speak like them",
    "over 20 packages of its own, about 40 of others",
    "over 30 built in",
  ],
  [
    "typed tools",
    "zod and other Standard Schemas, JSON Schema",
    "zod and other Standard Schemas, JSON Schema",
    "own schema builders; JSON Schema without types",
  ],
  ["structured output", "yes, typed", "yes, typed, also streamed in parts", "through strict tools"],
  [
    "control of each step",
    "tools and model per run; a tool registry that may change between calls",
    "`prepareStep`: model, tools, messages, tool choice; `repairToolCall`",
    "`prepareRequest`, `finishTurn`",
  ],
  ["around models", "`decorateClient`", "middleware, registries, a gateway", "a stream function"],
  ["steering a run", "yes", "experimental", "yes"],
  [
    "approvals",
    "the run pauses; answered at once or after a restart, from any process",
    "a request in the messages, which the host keeps; durable in `@ai-sdk/workflow`",
    "a hook that blocks a call",
  ],
  [
    "conversations on disk",
    "built in: file stores, leases, repair after a crash",
    "by the host; `WorkflowAgent` on a workflow runtime",
    "by the host",
  ],
  [
    "a crash between a tool's start and its result",
    "intents are recorded; each tool says whether it may run again",
    "none in `ai`; steps are replayed in `@ai-sdk/workflow`",
    "none",
  ],
  [
    "context within the window",
    "by itself: clears results, then an outline of the beginning, or a summary by a model (`context.summarizer`)",
    "by hand in `prepareStep`, with `pruneMessages`; Anthropic's own as an option",
    "by hand in `transformContext`",
  ],
  ["prompt cache", "breakpoints set by the library", "breakpoints set by hand", "set by the library"],
  [
    "limits on money",
    "reserved before each attempt, per run and day",
    "a stop condition of your own, after the fact",
    "cost is reported",
  ],
  ["work for later", "actions, cron, heartbeats", "none", "none"],
  ["MCP", "tools", "tools, resources, prompts, elicitation (`@ai-sdk/mcp`)", "tools (`pi-mcp`)"],
  ["pictures in", "yes, kept as artifacts with owners", "yes", "yes"],
  ["other media", "none", "images, speech, transcription, video, embeddings, reranking, realtime, batches", "images"],
  [
    "user interface",
    "none of its own; a stream that `useChat` reads, and SSE",
    "hooks for React, Vue, Svelte, Angular and Solid",
    "none in these packages",
  ],
  ["subagents, code mode, sandboxes", "none", "documented, partly experimental", "code mode (`pi-codemode`)"],
  [
    "telemetry",
    "spans for OpenTelemetry, Prometheus metrics, redacted logs",
    "OpenTelemetry (`@ai-sdk/otel`), devtools",
    "spans and metrics (`pi-telemetry`)",
  ],
  [
    "for tests",
    "scripted model, strict loopback servers with faults, fake clock, contract suites",
    "mock models, simulated streams",
    "a faux provider",
  ],
  ["runs on", "Node 24.15", "Node 22", "Node 22.19; in browsers through a proxy"],
];
