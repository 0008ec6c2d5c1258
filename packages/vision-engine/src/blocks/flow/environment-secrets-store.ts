// names of secrets → their values, as outputs of the step
import { inputError } from "../../errors.ts";
import type { Block, StepText } from "../block.ts";
import { textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const environmentSecretsStore: Block = {
  manifest: manifestOf("roboflow_core/environment_secrets_store@v1"),
  description: "Hands secrets that the host keeps to other steps, by name.",
  phrase: () => "hands out secrets",
  outputs: (step) => namesIn(step).map((name) => ({ name: name.toLowerCase(), kinds: ["secret"] })),
  create: ({ effects }) => ({
    run(inputs) {
      const { secrets } = effects;
      if (secrets === undefined)
        throw inputError("Secrets of the host are not open to workflows here.", "RuntimeError");
      const names = textsOf(inputs, "variables_storing_secrets") ?? [];
      return Object.fromEntries(names.map((name) => [name.toLowerCase(), secrets(name) ?? null]));
    },
  }),
};

function namesIn({ properties: { variables_storing_secrets: names } }: StepText): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
