// what is typed so far → how it may go on

/** As readline wants it: ways to go on, and the part of the line that they replace. */
export type Completion = [ways: string[], replaced: string];

/** Commands at the beginning of a line, names of cameras anywhere else. */
export function completeLine(
  line: string,
  words: { readonly commands: readonly string[]; readonly cameras: readonly string[] },
): Completion {
  if (/^\/\S*$/.test(line)) {
    const ways = words.commands.filter((command) => command.startsWith(line));
    return [ways.map((way) => `${way} `), line];
  }
  const begun = /\S*$/.exec(line)?.[0] ?? "";
  if (begun === "") return [[], begun];
  const ways = words.cameras.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()));
  return [ways.map((way) => `${way} `), begun];
}
