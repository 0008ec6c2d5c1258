// skills/<name>/SKILL.md → what can be loaded, and its text when it is wanted

import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseSkill, type Skill, SkillError } from "./parse-skill.ts";

export type SkillSummary = Pick<Skill, "name" | "description">;

export interface SkillStore {
  /** By name. A file that cannot be used is told to `onProblem` and left out. */
  list(): Promise<readonly SkillSummary[]>;
  /** Undefined when there is no such skill. Throws `SkillError` with what is wrong with its file. */
  load(name: string): Promise<Skill | undefined>;
}

export interface SkillStoreOptions {
  readonly files: Pick<FilePort, "folders" | "readText">;
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
