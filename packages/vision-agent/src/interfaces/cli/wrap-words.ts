// words as they stream in → lines that end between words

/** Breaks lines at blanks, so that a terminal need not break them inside words. */
export interface WordWrap {
  /** What can be written of the text so far; a word is held back until it is whole. */
  push(text: string): string;
  /** The last word, and the next text begins a new line. */
  end(): string;
}

const TAKES_TWO_COLUMNS =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;

/** `columns` is asked at each word: a terminal changes its size. Undefined leaves the text as it is. */
export function createWordWrap(columns: () => number | undefined): WordWrap {
  let column = 0;
  let blanks = "";
  let word = "";

  const takeWord = (): string => {
    if (word === "") return "";
    const width = widthOf(word);
    const room = columns() ?? Number.POSITIVE_INFINITY;
    // A word that fits into no line, such as a path, begins where it stands.
    const needsBreak = column > 0 && column + blanks.length + width > room && width <= room;
    const taken = `${needsBreak ? "\n" : blanks}${word}`;
    column = needsBreak ? width : column + blanks.length + width;
    blanks = "";
    word = "";
    return taken;
  };
  const take = (piece: string): string => {
    if (piece === "\n") {
      const taken = `${takeWord()}\n`;
      column = 0;
      blanks = "";
      return taken;
    }
    if (piece === " " || piece === "\t") {
      const taken = takeWord();
      blanks += piece;
      return taken;
    }
    word += piece;
    return "";
  };

  return {
    push: (text) => (columns() === undefined ? text : [...text].map(take).join("")),
    end() {
      const taken = takeWord();
      column = 0;
      blanks = "";
      return taken;
    },
  };
}

/** One text that is already whole; further lines begin under the words of the first. */
export function wrapWords(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .map((line) => {
      const indent = /^[ ·✓!]*/.exec(line)?.[0].length ?? 0;
      const wrap = createWordWrap(() => columns - indent);
      const body = wrap.push(line.slice(indent)) + wrap.end();
      return line.slice(0, indent) + body.replaceAll("\n", `\n${" ".repeat(indent)}`);
    })
    .join("\n");
}

/** Where lines end in this terminal; undefined for a file or another program. */
export function columnsOf(stream: Pick<NodeJS.WriteStream, "isTTY" | "columns">): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}

function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (TAKES_TWO_COLUMNS.test(character) ? 2 : 1), 0);
}
