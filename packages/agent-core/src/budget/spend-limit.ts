// the limit of one run → room for each of its calls, or a refusal
import { type AgentError, agentError } from "../types/errors.ts";
import { toUsd } from "./price.ts";

/** What several calls may cost together. All who spend the same money share one. */
export interface SpendLimit {
  readonly limitMicroUsd: number;
  /** Throws `AgentError` kind `budget`, code `run_limit`, when the worst case might go over. */
  reserve(worstMicroUsd: number): { settle(actualMicroUsd: number): void };
  /** Money that is spent already. */
  note(costMicroUsd: number): void;
}

/** A limit for several calls together, without a day or a store. */
export function createSpendLimit(limitMicroUsd: number): SpendLimit {
  let spent = 0;
  let reserved = 0;
  return {
    limitMicroUsd,
    reserve(worst) {
      if (worst > 0 && spent + reserved + worst > limitMicroUsd) {
        throw runLimit(worst, limitMicroUsd - spent - reserved, limitMicroUsd);
      }
      reserved += worst;
      let isOpen = true;
      return {
        settle(actual) {
          if (!isOpen) return;
          isOpen = false;
          reserved -= worst;
          spent += actual;
        },
      };
    },
    note(cost) {
      spent += cost;
    },
  };
}

function runLimit(worst: number, left: number, limit: number): AgentError {
  const room = left > 0 ? `${toUsd(left)} of its ${toUsd(limit)} is left` : `its ${toUsd(limit)} are used up`;
  return agentError("budget", "run_limit", `The next call of this run may cost up to ${toUsd(worst)}; ${room}.`);
}
