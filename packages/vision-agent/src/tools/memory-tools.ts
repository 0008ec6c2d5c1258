// what is worth keeping → memory and back; the name of a skill → its instructions
import type { ToolDataOf } from "@vision-agent/protocol";
import { nearestName } from "@vision-agent/vision-engine";
import { FROM_OUTSIDE, type Memory, type NotePlace } from "../memory/memory.ts";
import type { OpenMemory } from "../memory/open-markdown-memory.ts";
import { DEFAULT_SKILLS } from "../skills/default-skills.data.ts";
import { parseSkill } from "../skills/parse-skill.ts";
import type { SkillStore } from "../skills/skill-store.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { noteEffect, removedNoteEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";

const DAY = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } as const;
const LONGEST_PASSAGE = 500;

export function rememberTool(options: { readonly memory: Pick<Memory, "store">; readonly cameras: CameraRegistry }) {
  return visionTool({
    name: "remember",
    description: "Keep something for later conversations: what was seen, a fact, or a wish of the person.",
    required: ["content", "category"],
    properties: {
      content: { type: "string", minLength: 1, maxLength: 4000 },
      category: { type: "string", enum: ["observation", "knowledge", "preference"] },
      camera_id: { type: "string", description: "The camera it is about." },
    },
    gradeOf: ({ content, category }) => ({
      grade: "change",
      question: `May I keep a note${category === "preference" ? " in USER.md, which every conversation reads" : ""}? The assistant writes: ${quoteWords(content, 300)}.`,
    }),
    async run({ content, category, camera_id }, { untrusted }) {
      const found = camera_id === undefined ? undefined : options.cameras.find(camera_id);
      if (camera_id !== undefined && found === undefined) throw new Error(unknownCamera(options.cameras, camera_id));
      const camera = found?.name;
      const { path, line } = await options.memory.store({
        content,
        category,
        ...(camera && { camera }),
        ...(untrusted && { metadata: { [FROM_OUTSIDE]: true } }),
      });
      return { data: { category, path, line, camera, effects: [noteEffect({ path, line }, content, camera)] } };
    },
    render: ({ category, path, line }) => `Remembered as ${category} (${path}:${line}).`,
  });
}

export function recallTool(memory: Pick<Memory, "search">) {
  return visionTool({
    name: "recall",
    description: "Search memory: past observations, knowledge, preferences. For what cameras saw use search_events.",
    required: ["query"],
    properties: {
      query: { type: "string", minLength: 1 },
      max_results: { type: "integer", minimum: 1, maximum: 50, default: 5 },
      camera_id: { type: "string" },
      from: { ...DAY, description: "First day, YYYY-MM-DD." },
      to: { ...DAY, description: "Last day." },
    },
    annotations: { readOnly: true },
    untrusted: true,
    async run({ query, max_results = 5, camera_id, from, to }) {
      const filter = { maxResults: max_results, camera: camera_id, from, to };
      const { passages, notice = null } = await memory.search(query, filter);
      return { data: { passages: [...passages], notice } };
    },
    render({ passages, notice }) {
      const found = passages.length === 0 ? ["No matching notes."] : passages.map(formatPassage);
      return [...found, ...(notice === null ? [] : [notice])].join("\n");
    },
  });
}

/** e.g. `- 2026-01-02 14:05 [dock] The blue van comes at two. (memory/2026-01-02.md:7)` */
export function formatPassage(passage: ToolDataOf<"recall">["passages"][number]): string {
  const { text, day, time, camera, path, line } = passage;
  const when = [day, time].filter((part) => part !== undefined).join(" ");
  const head = [when, camera === undefined ? "" : `[${camera}]`].filter((part) => part !== "").join(" ");
  const said = text.length > LONGEST_PASSAGE ? `${text.slice(0, LONGEST_PASSAGE)}…` : text;
  return `- ${head === "" ? "" : `${head} `}${said.replaceAll("\n", " ")} (${path}:${line})`;
}

type NoteRemoval = Pick<OpenMemory, "search" | "notesIn" | "removeNote">;

const NOTE_PLACE = /^(.+\.md):(\d+)$/;
const MOST_CANDIDATES = 5;

export function forgetNoteTool(memory: NoteRemoval) {
  return visionTool({
    name: "forget_note",
    deferLoading: true,
    description: "Remove one note from memory, by its place or by what it says.",
    required: ["note"],
    properties: {
      note: { type: "string", minLength: 1, description: "memory/KNOWLEDGE.md:7 as in recall, or words of it." },
    },
    annotations: { destructive: true },
    async gradeOf({ note }) {
      const found = await findNote(memory, note);
      if (typeof found === "string") return { grade: "change", always: true, refusal: async () => found };
      const { path, line, text } = found;
      return {
        grade: "change",
        always: true,
        question: `May I remove this note (${path}:${line})? ${quoteWords(text, 300)}`,
        subject: { path, line, text },
      };
    },
    async run({ note }) {
      const found = await findNote(memory, note);
      if (typeof found === "string") throw new Error(found);
      const { path, line, text, category, camera } = found;
      if (!(await memory.removeNote(path, text)))
        throw new Error(`The note at ${path}:${line} has changed. Look again.`);
      const removed = { path, line, text, category, camera };
      return { data: { note: removed, effects: [removedNoteEffect(removed)] }, untrusted: true };
    },
    render: ({ note: { path, line, text } }) =>
      `Removed from ${path} (line ${line}): ${quoteWords(text, LONGEST_PASSAGE)}`,
  });
}

type FoundNote = ToolDataOf<"forget_note">["note"];

/** The one note that is meant, or a sentence on why it is not clear. */
async function findNote(memory: NoteRemoval, wanted: string): Promise<FoundNote | string> {
  const [, path, line] = NOTE_PLACE.exec(wanted.trim()) ?? [];
  const noteAt = async (place: NotePlace): Promise<FoundNote | undefined> =>
    (await memory.notesIn(place.path)).find((note) => note.line === place.line);
  if (path !== undefined) {
    return (await noteAt({ path, line: Number(line) })) ?? `No note begins at ${wanted}. Find it with recall.`;
  }
  const { passages } = await memory.search(wanted, { maxResults: 20 });
  const words = wanted.trim().toLowerCase();
  const saying = passages.filter(({ text }) => text.toLowerCase().includes(words));
  const [first, ...others] = saying;
  if (first !== undefined && others.length === 0)
    return (await noteAt(first)) ?? "That note has just changed. Look again.";
  const shown = (saying.length > 0 ? saying : passages).slice(0, MOST_CANDIDATES);
  if (shown.length === 0) return "No note says that.";
  const why = saying.length > 0 ? "Several notes say that" : "No note says exactly that; the nearest";
  return `${why}. Name one by its place:\n${shown.map(formatPassage).join("\n")}`;
}

/** Those that come with the app; whatever else lies in the folder may be a stranger's. */
const OWN_SKILLS: ReadonlySet<string> = new Set(
  Object.entries(DEFAULT_SKILLS).map(([path, text]) => parseSkill(text, path.split("/")[1] ?? "").body),
);

export function loadSkillTool(skills: Pick<SkillStore, "list" | "load">) {
  return visionTool({
    name: "load_skill",
    description: "Read the instructions of a skill from the skills list, before a task that it describes.",
    required: ["name"],
    properties: { name: { type: "string" } },
    annotations: { readOnly: true },
    // A skill is never cut: half of it would mislead.
    limits: { resultTokens: 6000 },
    async run({ name }) {
      const skill = await skills.load(name);
      if (skill !== undefined) {
        const { name: ownName, description, body: text } = skill;
        return { data: { name: ownName, description, text }, untrusted: !OWN_SKILLS.has(text) };
      }
      const names = (await skills.list()).map((one) => one.name);
      const nearest = nearestName(name, names);
      const hint = nearest === undefined ? `Skills: ${names.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
      throw new Error(`There is no skill "${name}". ${hint}`);
    },
    render: ({ name, description, text }) => `# ${name}\n${description}\n\n${text}`,
  });
}
