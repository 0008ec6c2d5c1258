// An agent around a script

export { createCountingIds } from "./testing/counting-ids.ts";
export { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";
export { createHistoryMaker, generatedRef, type HistoryMaker, historyFrom } from "./testing/history-generators.ts";
export { createSamplePng, JPEG_HEADER_640X480, PNG_1X1 } from "./testing/sample-images.ts";
export { type ScriptedModel, type ScriptStep, scriptedModel } from "./testing/scripted-model.ts";
export {
  collectEvents,
  createTestAgent,
  type Talk,
  type TestAgent,
  testMessage,
  testTool,
  untilEvent,
} from "./testing/test-agent.ts";

// Servers that are strict

export { type AnthropicLoopback, type LoopbackOptions, startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
export type { LoopbackFault } from "./testing/fault-plan.ts";
export type { Loopback, WireProblem } from "./testing/loopback-server.ts";
export { type OpenAILoopback, type OpenAILoopbackOptions, startOpenAILoopback } from "./testing/openai-loopback.ts";
export type { OpenAIReply, OpenAIReplyBlock } from "./testing/openai-reply.ts";
export type { OpenAIRequest } from "./testing/openai-wire.ts";
export type { WireMessage, WireRequest } from "./testing/wire-checks.ts";
export type { LoopbackReply, ReplyBlock } from "./testing/wire-reply.ts";

// Contracts for whoever implements a port

export { artifactStoreContract } from "./testing/artifact-store-contract.ts";
export type { ContractCase } from "./testing/contract.ts";
export { imagePreparerContract } from "./testing/image-preparer-contract.ts";
export { jobStoreContract } from "./testing/job-store-contract.ts";
export { ledgerStoreContract } from "./testing/ledger-store-contract.ts";
export {
  LLM_CONTRACT_TEXT,
  type LlmContractAnswer,
  type LlmContractSubject,
  llmClientContract,
} from "./testing/llm-client-contract.ts";
export { sessionStoreContract } from "./testing/session-store-contract.ts";

// Jobs

export { type ExecutorStep, type ScriptedExecutor, scriptedExecutor } from "./testing/scripted-executor.ts";
