// the first line of a result, read back; whoever can reads the data of the result instead

export interface ResultLine {
  readonly subject: string;
  readonly counts: readonly ResultCount[];
  readonly figures: readonly { readonly name: string; readonly value: string }[];
}

export interface ResultCount {
  readonly className: string;
  readonly count: number;
}

const NOTHING = "nothing";

/** Reads the first line of a text; undefined when it is no result line. */
export function parseResultLine(text: string): ResultLine | undefined {
  const match = /^([^:\n]+): (nothing|\d+ [^;\n]*?)(?:; ([^\n]*))?\.(?:\n|$)/.exec(text);
  if (match === null) return undefined;
  const [, subject = "", counts = "", figures = ""] = match;
  return {
    subject,
    counts: pairs(counts === NOTHING ? "" : counts).map(([count, className]) => ({ className, count: Number(count) })),
    figures: pairs(figures).map(([name, value]) => ({ name, value })),
  };
}

function pairs(text: string): readonly (readonly [string, string])[] {
  return text === ""
    ? []
    : text.split(", ").map((pair) => {
        const space = pair.indexOf(" ");
        return [pair.slice(0, space), pair.slice(space + 1)] as const;
      });
}
