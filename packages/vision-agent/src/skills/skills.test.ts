import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeFiles } from "../workspace/node-files.ts";
import { DEFAULT_SKILLS } from "./default-skills.data.ts";
import { parseSkill } from "./parse-skill.ts";
import { createSkillStore } from "./skill-store.ts";

const GOOD = "---\nname: doors\ndescription: Watch doors.\nmodels:\n  - a/b/1\n---\n\n# Doors\nLook.\n";

describe("the skills of the first run", () => {
  it("S000-4.1.8 are the four of the plan, and each can be loaded", async () => {
    const files = Object.fromEntries(
      Object.entries(DEFAULT_SKILLS).map(([path, text]) => [path.split("/")[1] ?? "", text]),
    );
    const { store, problems } = build(files);
    expect((await store.list()).map(({ name }) => name)).toEqual([
      "package-delivery",
      "parking-lot",
      "ppe-compliance",
      "quality-inspection",
    ]);
    expect((await store.load("ppe-compliance"))?.body).toContain("# Protective equipment");
    expect(problems).toEqual([]);
  });
});

describe("the skill store", () => {
  it("S000-4.3.1 finds a skill without regard to case and gives its parts", async () => {
    expect(await build({ doors: GOOD }).store.load(" Doors ")).toEqual({
      name: "doors",
      description: "Watch doors.",
      models: ["a/b/1"],
      body: "# Doors\nLook.",
    });
  });

  it("tells of a bad file once and goes on with the others", async () => {
    const { store, problems } = build({ doors: GOOD, broken: "no front matter", empty: undefined });
    expect((await store.list()).map(({ name }) => name)).toEqual(["doors"]);
    await store.list();
    expect(problems).toEqual([
      "skills/broken/SKILL.md begins without front matter: a line ---, name, description, and a line ---.",
      "The folder skills/empty has no SKILL.md.",
    ]);
  });

  it("never leaves its folder", async () => {
    expect(await build({ doors: GOOD }).store.load("../doors")).toBeUndefined();
  });

  it("reads the disk, and takes a missing folder for an empty one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skills-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, "doors"));
    await writeFile(join(folder, "doors", "SKILL.md"), GOOD);
    await writeFile(join(folder, "README.md"), "not a skill");
    const open = (path: string) => createSkillStore({ files: nodeFiles, folder: path, onProblem: () => undefined });
    expect(await open(folder).list()).toEqual([{ name: "doors", description: "Watch doors." }]);
    expect(await open(join(folder, "nowhere")).list()).toEqual([]);
  });
});

describe("a skill file", () => {
  it.each([
    ["another name than its folder", GOOD.replace("name: doors", "name: gates"), 'is called "gates"'],
    ["a name nobody can type", GOOD.replace("name: doors", "name: Two Words"), 'the key "name" is wrong'],
    ["no description", GOOD.replace("description: Watch doors.\n", ""), 'the key "description" is wrong'],
    ["front matter that is not YAML", "---\nname: [\n---\ntext", "is not YAML"],
    ["front matter that is no list of keys", "---\n- a\n---\ntext", "is wrong"],
    ["nothing to say", "---\nname: doors\ndescription: x\n---\n", "has no instructions"],
    ["too much to say", `${GOOD}${"x".repeat(20_000)}`, "at most 16000 are read"],
  ])("with %s is refused in a sentence", (_, text, reason) => {
    expect(() => parseSkill(text, "doors")).toThrow(reason);
  });

  it("may have Windows line ends", () => {
    expect(parseSkill(GOOD.replaceAll("\n", "\r\n"), "doors").name).toBe("doors");
  });
});

function build(skills: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = [];
  const files = {
    folders: async () => Object.keys(skills),
    readText: async (path: string) => skills[path.split("/").at(-2) ?? ""],
  };
  return { store: createSkillStore({ files, folder: "/w/skills", onProblem: (one) => problems.push(one) }), problems };
}
