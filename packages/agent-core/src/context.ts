// Prompts and conversations by hand, without the loop

export {
  type ContextManager,
  createContextManager,
  type PreparedContext,
  type PrepareInput,
} from "./context/context-manager.ts";
export { type ContextLine, type ContextView, callsOf, toMessages, toView } from "./context/history.ts";
export { type HistoryEntry, toHistoryEntries } from "./context/history-entries.ts";
export { createHistory, type History, type HistoryOptions } from "./context/history-view.ts";
export { allocateTokens, fillTemplate, type TokenWish } from "./context/prompt-sections.ts";
export { createOutlineSummarizer } from "./context/summarizer.ts";
export { createProviderCounter, createWordCounter } from "./context/token-counter.ts";
export { createWorkingContext, type WorkingContext, type WorkingContextOptions } from "./context/working-context.ts";
