// skills/<name>/SKILL.md → what can be loaded, and its text when it is wanted

import { readdir, readFile } from "node:fs/promises";
import { errorCode, toStoreError } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseSkill, type Skill, SkillError } from "./parse-skill.ts";

/** The folders and files that skills are read from. Paths are absolute. */
export interface SkillFiles {
  /** Names of the folders inside; empty when there is no such folder. */
  folders(path: string): Promise<readonly string[]>;
  /** Undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

export type SkillSummary = Pick<Skill, "name" | "description">;

export interface SkillStore {
  /** By name. A file that cannot be used is told to `onProblem` and left out. */
  list(): Promise<readonly SkillSummary[]>;
  /** Undefined when there is no such skill. Throws `SkillError` with what is wrong with its file. */
  load(name: string): Promise<Skill | undefined>;
}

export interface SkillStoreOptions {
  readonly files: SkillFiles;
  /** The folder `skills` of the workspace. */
  readonly folder: string;
  /** Told in a sentence, once for each problem. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** Read anew each time: a skill that was written a moment ago is there. */
export function createSkillStore({ files, folder, onProblem }: SkillStoreOptions): SkillStore {
  const told = new Set<string>();
  const tell = (message: string): void => {
    if (told.has(message)) return;
    told.add(message);
    onProblem(message);
  };
  const read = async (name: string): Promise<Skill> => {
    const text = await files.readText(`${folder}/${name}/SKILL.md`);
    if (text === undefined) throw new SkillError(`The folder skills/${name} has no SKILL.md.`);
    return parseSkill(text, name);
  };
  const summarize = async (name: string): Promise<readonly SkillSummary[]> => {
    try {
      const { description } = await read(name);
      return [{ name, description }];
    } catch (error) {
      tell(reasonOf(error));
      return [];
    }
  };
  return {
    async list() {
      const names = (await files.folders(folder)).toSorted();
      return (await Promise.all(names.map(summarize))).flat();
    },
    async load(wanted) {
      const names = await files.folders(folder);
      const name = names.find((one) => one.toLowerCase() === wanted.trim().toLowerCase());
      return name === undefined ? undefined : read(name);
    },
  };
}

const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/** The disk. Rejects with `StoreError`. */
export const nodeSkillFiles: SkillFiles = {
  async folders(path) {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
    } catch (thrown) {
      if (ABSENT.has(errorCode(thrown))) return [];
      throw toStoreError(thrown, path);
    }
  },
  async readText(path) {
    try {
      return await readFile(path, "utf8");
    } catch (thrown) {
      if (ABSENT.has(errorCode(thrown))) return undefined;
      throw toStoreError(thrown, path);
    }
  },
};
