import { AgentError } from "../../types/errors.ts";
import { ANTHROPIC_PROFILES, type AnthropicProfile, CAUTIOUS_PROFILE } from "./profiles.data.ts";

/** The configured profile, the built-in one, a cautious one for an unknown `claude-` id, or `unknown_model`. */
export function findProfile(model: string, configured: readonly AnthropicProfile[]): AnthropicProfile {
  const known = [...configured, ...ANTHROPIC_PROFILES].find((profile) => profile.id === model);
  if (known) return known;
  if (model.startsWith("claude-")) return { ...CAUTIOUS_PROFILE, id: model };
  throw new AgentError({
    kind: "invalid",
    code: "unknown_model",
    message: `The model "${model}" is not one that this provider serves. Ids begin with "claude-".`,
  });
}
