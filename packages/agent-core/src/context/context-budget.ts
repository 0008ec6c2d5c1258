import type { ModelProfile, RequestConfig } from "../llm/llm-client.ts";
import { toMaxTokens } from "../llm/tool-wire.ts";

/** What a request may take: tokens, bytes and pictures are three budgets. */
export interface ContextBudget {
  /** Tokens in all. Default and most: the model's window. */
  readonly window: number;
  /** Tokens kept for the answer. Default: what the request asks for, at most a quarter of the window. */
  readonly reserveOutput: number;
  /** Share of the window that stays free because estimates err. Default 0.03. */
  readonly safety: number;
  /** AF-24: share of the window that one state note may take; what it does not use is history's. Default 0.1. */
  readonly environmentShare: number;
  /** Share of the window above which old results and pictures are cleared. Default 0.6. */
  readonly clearAt: number;
  /** Tokens that a clearing frees at least: each one costs the prompt cache. Default a tenth of the window. */
  readonly clearAtLeast: number;
  /** VA-16: share of the window above which the beginning becomes a summary. Default 0.8. */
  readonly compactAt: number;
  /** Of the request's body. Default: the model's limit, else 32 MB. */
  readonly maxBytes: number;
  /** Default: the model's limit, else 100. */
  readonly maxImages: number;
}

/** A compaction that leaves more than this share of the window would soon be needed again. */
const COMPACT_TO = 0.5;
/** Of a budget of bytes or pictures: what is left after a clearing, so that the next is not the next turn's. */
const CLEAR_TO = 0.6;

/** The given values over the defaults, within what the model allows. */
export function toContextBudget(
  given: Partial<ContextBudget>,
  profile: ModelProfile,
  config: RequestConfig = {},
): ContextBudget {
  const window = Math.min(given.window ?? profile.contextWindow, profile.contextWindow);
  const output = Math.min(toMaxTokens(config, profile), Math.floor(window / 4));
  return {
    safety: 0.03,
    environmentShare: 0.1,
    clearAt: 0.6,
    compactAt: 0.8,
    reserveOutput: output,
    clearAtLeast: Math.floor(window / 10),
    ...given,
    window,
    maxBytes: Math.min(given.maxBytes ?? Number.POSITIVE_INFINITY, profile.limits?.requestBytes ?? 32_000_000),
    maxImages: Math.min(given.maxImages ?? Number.POSITIVE_INFINITY, profile.limits?.images ?? 100),
  };
}

/** Invariant 4: no request is larger. Tokens. */
export function limitOf(budget: ContextBudget): number {
  return Math.max(0, Math.floor(budget.window * (1 - budget.safety)) - budget.reserveOutput);
}

/** Tokens above which something is done; none is above the limit. */
export function thresholdsOf(budget: ContextBudget): {
  readonly clear: number;
  readonly compact: number;
  readonly compactTo: number;
} {
  const atMost = (share: number): number => Math.min(Math.floor(budget.window * share), limitOf(budget));
  return { clear: atMost(budget.clearAt), compact: atMost(budget.compactAt), compactTo: atMost(COMPACT_TO) };
}

/** What is left of a bound after a clearing. */
export function clearedBound(bound: number): number {
  return Number.isFinite(bound) ? Math.floor(bound * CLEAR_TO) : bound;
}

/** AF-4, AF-24: tokens that one state note may take. */
export function environmentTokens(given: Partial<ContextBudget>, profile: ModelProfile): number {
  const budget = toContextBudget(given, profile);
  return Math.floor(budget.window * budget.environmentShare);
}
