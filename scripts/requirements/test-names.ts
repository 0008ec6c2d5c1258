// test files → the names of their tests
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser";

export interface NamedTest {
  /** From the root of the project, with forward slashes. */
  readonly file: string;
  readonly name: string;
}

const TEST_FILES = ["packages/*/{src,e2e}/**/*.test.{ts,tsx}", "examples/**/*.test.ts", "{scripts,bench}/**/*.test.ts"];
/** Cases of a contract get their names here and are run by the tests of whoever implements the port. */
const CONTRACT_FILES = ["packages/*/src/**/*contract.ts"];
const TEST_WORDS: readonly string[] = ["it", "test", "describe"];

/** Every test of the project under its file, sorted by file. */
export function findTests(root: string): readonly NamedTest[] {
  const read = (patterns: readonly string[], namesIn: (file: string, text: string) => readonly string[]): NamedTest[] =>
    globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] })
      .map((path) => path.split("\\").join("/"))
      .sort()
      .flatMap((file) => namesIn(file, readFileSync(join(root, file), "utf8")).map((name) => ({ file, name })));
  return [...read(TEST_FILES, testNamesIn), ...read(CONTRACT_FILES, stringsIn)];
}

/** First arguments of `it`, `test` and `describe`, with `.each`, `.for`, `.skipIf` and the like; `…` stands for what a template fills in. */
export function testNamesIn(file: string, text: string): readonly string[] {
  const names: string[] = [];
  const visitor = new Visitor({
    CallExpression(call) {
      const [first] = call.arguments;
      if (first === undefined || first.type === "SpreadElement" || !TEST_WORDS.includes(rootWord(call))) return;
      const name = textOf(first);
      if (name !== undefined) names.push(name);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return names;
}

/** All plain strings. */
export function stringsIn(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const visitor = new Visitor({
    Literal(literal) {
      if (typeof literal.value === "string") found.push(literal.value);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

/** `it` of `it("…")`, of `it.each(table)("…")` and of `it.skipIf(no).each(table)("…")`. */
function rootWord({ callee }: CallExpression): string {
  let at: Expression = callee;
  for (;;) {
    if (at.type === "Identifier") return at.name;
    if (at.type === "CallExpression") at = at.callee;
    else if (at.type === "TaggedTemplateExpression") at = at.tag;
    else if (at.type === "MemberExpression") at = at.object;
    else return "";
  }
}

function textOf(node: Expression): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…");
  if (node.type !== "BinaryExpression" || node.left.type === "PrivateIdentifier") return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}
