import type { WorkflowSpec } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { pictureTextOutputs } from "./picture-text.ts";

describe("outputs that may hold a picture as text", () => {
  const text = { type: "roboflow_core/property_definition@v1", operations: [{ type: "ConvertImageToBase64" }] };
  const cut = { type: "roboflow_core/property_definition@v1", operations: [{ type: "StringToUpperCase" }] };

  it.each<[string, readonly object[], readonly string[]]>([
    ["none of a workflow that writes none", [{ name: "a", ...cut, data: "$inputs.text" }], []],
    ["that of the step itself", [{ name: "a", ...text, data: "$inputs.image" }], ["a"]],
    [
      "those of all after it, in any order",
      [
        { name: "c", ...cut, data: "$steps.b.output" },
        { name: "b", ...cut, data: "$steps.a.output" },
        { name: "a", ...text, data: "$inputs.image" },
        { name: "d", ...cut, data: "$inputs.text" },
      ],
      ["c", "b", "a"],
    ],
    [
      "what comes out of a cache beside it",
      [
        { name: "a", ...text, data: "$inputs.image" },
        { name: "out", type: "roboflow_core/cache_get@v1", key: "k", namespace: "n" },
      ],
      ["a", "out"],
    ],
  ])("are %s", (_what, steps, names) => {
    const outputs = steps.map((step) => {
      const { name } = step as { readonly name: string };
      return { type: "JsonField", name, selector: `$steps.${name}.output` };
    });
    const spec = { version: "1.0", inputs: [], steps, outputs } as unknown as WorkflowSpec;
    expect([...pictureTextOutputs(spec)]).toEqual(names);
  });
});
