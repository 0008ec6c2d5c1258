// what was asked of thinking and effort + what the model can do → fields that it does not refuse

import type Anthropic from "@anthropic-ai/sdk";
import type { Warn } from "../../types/events.ts";
import type { RequestConfig } from "../llm-client.ts";
import type { AnthropicProfile } from "./profiles.data.ts";

type Fields = { readonly thinking?: Anthropic.ThinkingConfigParam; readonly effort?: Anthropic.OutputConfig["effort"] };

/** The provider's lower bound. */
const MIN_BUDGET = 1_024;
/** Efforts that go with thinking between tools only. */
const MODEST: readonly string[] = ["low", "medium", "high"];

/** A wish that the model cannot follow gives one warning and the nearest thing that it can. */
export function toThinking(
  config: RequestConfig,
  options: {
    readonly profile: AnthropicProfile;
    readonly maxTokens: number;
    /** A tool is forced: no room for thinking where it can be left out. */
    readonly forced: boolean;
    readonly warn: Warn;
  },
): Fields {
  const { profile, warn } = options;
  const { modes, efforts } = profile.reasoning;
  const wish = toWish(config, options.forced && modes.includes("off"), warn);
  const effort = toEffort(config, profile, warn);
  if (wish === "off") {
    if (modes.length === 0) return effort;
    if (!modes.includes("off")) {
      warn("reasoning_ignored", `${profile.id} always thinks; it was asked to think little.`);
      return { thinking: ADAPTIVE, ...(efforts.includes("low") ? { effort: "low" } : {}) };
    }
    return turnedOff(profile, effort, warn);
  }
  if (typeof wish === "object") {
    if (modes.includes("budget")) return { thinking: toBudget(wish.budgetTokens, options), ...effort };
    warn("reasoning_ignored", `${profile.id} takes no budget for thinking; effort is the way to bound it.`);
  }
  return modes.includes("adaptive") ? { thinking: ADAPTIVE, ...effort } : effort;
}

// Without a display the text between tool calls arrives empty.
const ADAPTIVE: Anthropic.ThinkingConfigAdaptive = { type: "adaptive", display: "summarized" };

function toWish(
  config: RequestConfig,
  forced: boolean,
  warn: Warn,
): "auto" | "off" | { readonly budgetTokens: number } {
  const wish = config.effort === "none" ? "off" : (config.reasoning ?? "auto");
  if (!forced) return wish;
  if (typeof wish === "object") warn("reasoning_ignored", "A forced tool leaves no room for thinking.");
  return "off";
}

function toEffort(config: RequestConfig, profile: AnthropicProfile, warn: Warn): Fields {
  const { effort } = config;
  if (effort === undefined || effort === "none") return {};
  if (profile.reasoning.efforts.includes(effort)) return { effort };
  warn("effort_ignored", `${profile.id} does not take the effort "${effort}".`);
  return {};
}

function turnedOff(profile: AnthropicProfile, { effort }: Fields, warn: Warn): Fields {
  if (profile.thinkingOff !== "between_tools") return { thinking: { type: "disabled" }, ...(effort ? { effort } : {}) };
  if (effort && !MODEST.includes(effort)) {
    warn("effort_ignored", `Without thinking ${profile.id} takes no effort above high.`);
    return { thinking: { type: "between_tools" }, effort: "high" };
  }
  return { thinking: { type: "between_tools" }, ...(effort ? { effort } : {}) };
}

function toBudget(
  wanted: number,
  { maxTokens, profile, warn }: { readonly maxTokens: number; readonly profile: AnthropicProfile; readonly warn: Warn },
): Anthropic.ThinkingConfigParam {
  const budget = Math.max(MIN_BUDGET, Math.min(wanted, maxTokens - 1));
  if (budget >= maxTokens) {
    warn("reasoning_ignored", `${maxTokens} tokens leave no room for thinking.`);
    return { type: "disabled" };
  }
  if (budget !== wanted) warn("reasoning_bounded", `${profile.id} thinks for ${budget} tokens instead of ${wanted}.`);
  return { type: "enabled", budget_tokens: budget, display: "summarized" };
}
