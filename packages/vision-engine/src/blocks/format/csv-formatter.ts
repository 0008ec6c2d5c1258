// values of a run or a batch → CSV text

import { Timestamp } from "../../frames/frame.ts";
import { type NumberStyle, toText } from "../../query/python-text.ts";
import { createQueryCache, type QueryCache } from "../../query/statements.ts";
import {
  applyOperations,
  BlockBatch,
  type BlockInputs,
  type BlockValue,
  batchLength,
  block,
  elementInputs,
  numberStyles,
} from "../block.ts";

export const csvFormatter = block({
  type: "roboflow_core/csv_formatter@v1",
  description: "Writes values as rows of CSV, with a time stamp.",
  stateless: true,
  phrase: "writes rows of CSV",
  problems: ({ properties }) =>
    ["columns_data", "columns_operations"]
      .filter((property) => Object.keys(properties[property] ?? {}).includes("timestamp"))
      .map((property) => ({ property, message: '"timestamp" is a column of its own; name yours otherwise.' })),
  start: (context) => {
    const query = createQueryCache(context);
    return ({ columns_data: data = {}, columns_operations: operations = {} }) => {
      const columns = { data: data as BlockInputs, operations };
      const rows = csvRows(columns, query, context.now);
      const content = { csv_content: toCsv(rows, numberStyles(query, operations)) };
      if (!Object.values(columns.data).some((value) => value instanceof BlockBatch)) return content;
      // The last element of a batch carries the rows of all.
      return rows.map((_, at) => (at === rows.length - 1 ? content : { csv_content: null }));
    };
  },
});

type Row = Readonly<Record<string, BlockValue>>;

/** A spreadsheet would run a text that begins so. */
const COMMAND = /^[=+\-@\t\r]/;

export interface CsvColumns {
  /** Name → value, or a batch of values. */
  readonly data: BlockInputs;
  /** Name → operations on each value. */
  readonly operations: BlockValue;
}

/** One row for each element of the longest batch, with the time of writing last. */
export function csvRows({ data, operations }: CsvColumns, query: QueryCache, now: () => number): readonly Row[] {
  const length = Object.values(data).some((value) => value instanceof BlockBatch) ? batchLength(data) : 1;
  return Array.from({ length }, (_, at) => ({
    ...applyOperations(query, elementInputs(data, at), operations),
    timestamp: Timestamp.ofMs(now()).iso,
  }));
}

/** Columns in the order of the first row. */
export function toCsv(rows: readonly Row[], styles: Readonly<Record<string, NumberStyle>> = {}): string {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) =>
    columnTexts(
      rows.map((row) => row[name] ?? null),
      styles[name] ?? "plain",
    ),
  );
  const lines = rows.map((_, at) => columns.map((texts) => quoted(texts[at]!)).join(","));
  return [names.map(quoted).join(","), ...lines].map((line) => `${line}\n`).join("");
}

/** One number with decimals, or one missing, makes floats of a column of numbers. */
function columnTexts(values: readonly BlockValue[], style: NumberStyle): readonly string[] {
  const present = values.filter((value) => value !== null);
  const isNumeric = present.length > 0 && present.every((value) => typeof value === "number");
  const hasFloat = present.length < values.length || present.some((value) => !Number.isInteger(value));
  const written = isNumeric && hasFloat ? "float" : style;
  return values.map((value) => {
    if (value === null || Number.isNaN(value)) return "";
    return typeof value === "string" && COMMAND.test(value) ? `'${value}` : toText(value, written);
  });
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
