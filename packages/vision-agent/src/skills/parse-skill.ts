// SKILL.md → name, description, models, instructions

import { parse } from "yaml";
import { z } from "zod";
import { reasonOf } from "../workspace/kinded-error.ts";

/** An instruction pack for one kind of work. It guides a model; nothing in it is executed. */
export interface Skill {
  readonly name: string;
  /** One sentence: when to load it. */
  readonly description: string;
  /** Models that it speaks of, by id. */
  readonly models: readonly string[];
  /** Markdown after the front matter. */
  readonly body: string;
}

/** A skill that is not there, or a file that cannot be used. */
export class SkillError extends Error {
  override readonly name = "SkillError";
}

/** About 4,000 tokens. */
const LONGEST = 16_000;

const frontMatterSchema = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "small letters, digits and dashes, at most 64"),
  description: z.string().trim().min(1, "a sentence that says when to use it").max(300, "at most 300 characters"),
  models: z.array(z.string().min(1)).default([]),
});

/** Throws `SkillError`: what is wrong, and where. */
export function parseSkill(text: string, folder: string): Skill {
  const place = `skills/${folder}/SKILL.md`;
  const [, header, rest = ""] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (header === undefined) {
    throw new SkillError(`${place} begins without front matter: a line ---, name, description, and a line ---.`);
  }
  const { name, description, models } = readHeader(header, place);
  if (name !== folder) throw new SkillError(`${place} is called "${name}"; its folder must have the same name.`);
  const body = rest.trim();
  if (body === "") throw new SkillError(`${place} has no instructions after its front matter.`);
  if (body.length > LONGEST) {
    throw new SkillError(`${place} has ${body.length} characters of instructions; at most ${LONGEST} are read.`);
  }
  return { name, description, models, body };
}

function readHeader(header: string, place: string): z.infer<typeof frontMatterSchema> {
  let value: unknown;
  try {
    value = parse(header);
  } catch (cause) {
    throw new SkillError(`The front matter of ${place} is not YAML: ${reasonOf(cause)}`, { cause });
  }
  const parsed = frontMatterSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = issue?.path.join(".") ?? "";
  throw new SkillError(`In ${place} the key "${key === "" ? "front matter" : key}" is wrong: ${issue?.message}.`);
}
