import type { Price } from "../llm/llm-client.ts";
import { AgentError } from "../types/errors.ts";

export interface RequirePriceOptions {
  readonly model: string;
  /** What the profile states. */
  readonly price?: Price;
  /** Taken where nobody stated one. Choose it too high rather than too low. */
  readonly assumePrice?: Price;
}

/** A limit holds only where the price is known. Throws `AgentError` kind `budget`, code `unknown_price`. */
export function requirePrice({ model, price, assumePrice }: RequirePriceOptions): Price {
  const known = price ?? assumePrice;
  if (known) return known;
  throw new AgentError({
    kind: "budget",
    code: "unknown_price",
    message: `Nobody stated the price of "${model}". State it in its profile, or set a price to assume.`,
  });
}
