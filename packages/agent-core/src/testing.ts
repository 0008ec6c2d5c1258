// Fakes that are real, and contracts for whoever implements a port
export {
  type AnthropicLoopback,
  type LoopbackFault,
  type LoopbackOptions,
  startAnthropicLoopback,
} from "./testing/anthropic-loopback.ts";
export { artifactStoreContract } from "./testing/artifact-store-contract.ts";
export type { ContractCase } from "./testing/contract.ts";
export { createCountingIds } from "./testing/counting-ids.ts";
export { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";
export {
  LLM_CONTRACT_TEXT,
  type LlmContractAnswer,
  type LlmContractSubject,
  llmClientContract,
} from "./testing/llm-client-contract.ts";
export { JPEG_HEADER_640X480, PNG_1X1 } from "./testing/sample-images.ts";
export { type ScriptedModel, type ScriptStep, scriptedModel } from "./testing/scripted-model.ts";
export { sessionStoreContract } from "./testing/session-store-contract.ts";
export type { WireMessage, WireProblem, WireRequest } from "./testing/wire-checks.ts";
export type { LoopbackReply, ReplyBlock } from "./testing/wire-reply.ts";
