// GET /v1/models → what the provider says its models can do
import type Anthropic from "@anthropic-ai/sdk";
import type { ProfilePatch } from "../model-profiles.ts";
import { type AnthropicProfile, CAUTIOUS_PROFILE } from "./profiles.data.ts";

const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** VI-7: capabilities as stated; what the list does not say is left to the table. */
export async function listProfiles(
  sdk: Anthropic,
  signal: AbortSignal,
): Promise<readonly ProfilePatch<AnthropicProfile>[]> {
  const page = await sdk.models.list({ limit: 1_000 }, { signal });
  return page.data.map(toPatch);
}

/** A `claude-` id that is nowhere described gets a small window, no pictures and no extras. */
export function guessProfile(model: string, listed: "listed" | "not_listed" | "no_list"): AnthropicProfile | undefined {
  return listed === "listed" || model.startsWith("claude-") ? { ...CAUTIOUS_PROFILE, id: model } : undefined;
}

function toPatch(model: Anthropic.ModelInfo): ProfilePatch<AnthropicProfile> {
  const { capabilities, max_input_tokens: window, max_tokens: output, deprecated_at, retires_at } = model;
  const lifecycle = {
    ...(deprecated_at ? { deprecatedAt: deprecated_at } : {}),
    ...(retires_at ? { retiresAt: retires_at } : {}),
  };
  return {
    id: model.id,
    ...(window ? { contextWindow: window } : {}),
    ...(output ? { maxOutput: output } : {}),
    ...(Object.keys(lifecycle).length > 0 ? { lifecycle } : {}),
    ...(capabilities ? toCapabilities(capabilities) : {}),
  };
}

function toCapabilities(said: Anthropic.ModelCapabilities): Partial<AnthropicProfile> {
  const { adaptive, enabled, disabled, between_tools: betweenTools } = said.thinking.types;
  const canStop = disabled.supported || betweenTools.supported;
  const modes: AnthropicProfile["reasoning"]["modes"] = [
    ...(adaptive.supported ? (["adaptive"] as const) : []),
    ...(enabled.supported ? (["budget"] as const) : []),
    ...(canStop ? (["off"] as const) : []),
  ];
  return {
    supportsVision: said.image_input.supported,
    supportsStructuredOutput: said.structured_outputs.supported,
    reasoning: {
      modes: said.thinking.supported ? modes : [],
      efforts: said.effort.supported ? EFFORTS.filter((effort) => said.effort[effort]?.supported) : [],
      prefixBound: true,
    },
    ...(canStop ? { thinkingOff: disabled.supported ? "disabled" : "between_tools" } : {}),
  };
}
