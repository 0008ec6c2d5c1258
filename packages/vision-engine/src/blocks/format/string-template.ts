// values → a text with them in it
import { inputError } from "../../errors.ts";
import { createQueryCache } from "../../query/query-cache.ts";
import { applyOperations, numberStyles, type Variables } from "../apply-operations.ts";
import type { Block } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { renderTemplate } from "./text-template.ts";

export const stringTemplate: Block = {
  manifest: manifestOf("roboflow_core/string_template@v1"),
  description: "Writes values into a text: 'Found {count} people'.",
  stateless: true,
  phrase: () => "writes a text",
  create: (context) => {
    const query = createQueryCache(context);
    return {
      run({ template = null, data = {}, data_operations: operations = {} }) {
        if (typeof template !== "string") throw inputError('"template" must be a text.');
        const undeclared = Object.keys(operations as Variables).find((name) => !Object.hasOwn(data as Variables, name));
        if (undeclared !== undefined)
          throw inputError(`There are operations for "${undeclared}", which is not among the data.`);
        const values = applyOperations(query, data, operations);
        return { output: renderTemplate(template, { values, numbers: numberStyles(query, operations) }) };
      },
    };
  },
};
