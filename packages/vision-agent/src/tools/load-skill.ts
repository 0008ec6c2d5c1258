// the name of a skill → its instructions
import { nearestName } from "@vision-agent/vision-engine";
import type { SkillStore } from "../skills/skill-store.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";

export function createLoadSkillTool(options: {
  readonly skills: Pick<SkillStore, "list" | "load">;
}): GradedTool<{ readonly name: string }> {
  return lookOnly<{ readonly name: string }>({
    name: "load_skill",
    description: "Read the instructions of a skill from the skills list, before a task that it describes.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { name: { type: "string" } },
    },
    annotations: { readOnly: true },
    // A skill is never cut: half of it would mislead.
    limits: { resultTokens: 6000 },
    async execute({ name }) {
      const skill = await options.skills.load(name);
      if (skill !== undefined) return `# ${skill.name}\n${skill.description}\n\n${skill.body}`;
      const names = (await options.skills.list()).map((one) => one.name);
      const nearest = nearestName(name, names);
      const hint = nearest === undefined ? `Skills: ${names.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
      throw new Error(`There is no skill "${name}". ${hint}`);
    },
  });
}
