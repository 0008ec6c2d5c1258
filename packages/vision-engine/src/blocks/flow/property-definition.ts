// value → what operations make of it
import { createQueryCache } from "../../query/query-cache.ts";
import type { Block } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const propertyDefinition: Block = {
  manifest: manifestOf("roboflow_core/property_definition@v1"),
  description: "Takes a property out of a value by a chain of operations: a count, class names, a rounded number.",
  stateless: true,
  phrase: () => "takes a property out of the data",
  create: (context) => {
    const query = createQueryCache(context);
    return { run: ({ data = null, operations = null }) => ({ output: query.operations(operations)(data) }) };
  },
};
