// values of a run or a batch → CSV text
import { createQueryCache } from "../../query/query-cache.ts";
import { numberStyles, type Variables } from "../apply-operations.ts";
import { Batch } from "../batch.ts";
import type { Block } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { csvRows, toCsv } from "./csv-rows.ts";

export const csvFormatter: Block = {
  manifest: manifestOf("roboflow_core/csv_formatter@v1"),
  description: "Writes values as rows of CSV, with a time stamp.",
  stateless: true,
  phrase: () => "writes rows of CSV",
  problems: ({ properties }) =>
    ["columns_data", "columns_operations"]
      .filter((property) => Object.keys(properties[property] ?? {}).includes("timestamp"))
      .map((property) => ({ property, message: '"timestamp" is a column of its own; name yours otherwise.' })),
  create: (context) => {
    const query = createQueryCache(context);
    return {
      run({ columns_data: data = {}, columns_operations: operations = {} }) {
        const columns = { data: data as Variables, operations };
        const rows = csvRows(columns, query, context.now);
        const content = { csv_content: toCsv(rows, numberStyles(query, operations)) };
        if (!Object.values(columns.data).some((value) => value instanceof Batch)) return content;
        // The last element of a batch carries the rows of all.
        return rows.map((_, at) => (at === rows.length - 1 ? content : { csv_content: null }));
      },
    };
  },
};
