const GAP = "  ";

/** Rows under each other, every column as wide as its widest cell; the last one runs free. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const last = Math.max(0, ...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}
