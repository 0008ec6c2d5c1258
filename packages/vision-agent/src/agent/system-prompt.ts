// identity + blocks + skills + workspace files | state of the moment → what a model is told

import { createPromptSections, type PromptSection, type PromptSource } from "@vision-agent/agent-core";
import type { Memory } from "../memory/memory.ts";
import type { SkillStore } from "../skills/skill-store.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type ListedBlock, summarizeCapabilities } from "./capability-summary.ts";
import { isPlain } from "./plain-text.ts";
import { HEARTBEAT_IDENTITY, IDENTITY, WORKFLOW_FORMAT } from "./prompt-text.data.ts";
import { describeOddCameras, describeState, type StateNoteOptions } from "./state-note.ts";
import { WORKFLOW_PATTERNS } from "./workflow-patterns.data.ts";
import { createFileSection, type FileSectionOptions } from "./workspace-text.ts";

export interface SystemPromptOptions extends StateNoteOptions {
  readonly readFile: FileSectionOptions["readFile"];
  /** The block types of the backend in use; a rejection leaves them out for this turn. */
  readonly blocks?: () => Promise<readonly ListedBlock[]>;
  readonly skills?: Pick<SkillStore, "list">;
  readonly memory?: Pick<Memory, "recentObservations">;
  /** What happened since the last heartbeat, a line each. */
  readonly news?: () => Promise<readonly string[]>;
  /** Told once what the person should know, such as a file that is too long. Must not throw. */
  readonly onNotice?: (message: string) => void;
}

/** The mode of runs that the heartbeat starts. */
export const HEARTBEAT_MODE = "heartbeat";

const OBSERVATION_DAYS = 2;
const OBSERVATION_TOKENS = 600;
const CAPABILITY_TOKENS = 2_500;
const NEWS_TOKENS = 3_000;
/** A skill of a stranger does not speak in every conversation. */
const MOST_DESCRIPTION_WORDS = 40;

const inConversation = (mode: string): boolean => mode !== HEARTBEAT_MODE;
const inHeartbeat = (mode: string): boolean => mode === HEARTBEAT_MODE;

/** VA-14: what never changes comes first, what the owner wrote after it, what changes from turn to turn at the tail. */
export function createSystemPrompt(options: SystemPromptOptions): PromptSource {
  return createPromptSections([...standing(options), ...files(options), ...volatile(options)]);
}

function standing({ blocks, skills, onNotice }: SystemPromptOptions): readonly PromptSection[] {
  return [
    { id: "identity", stability: "static", priority: 100, when: inConversation, render: () => IDENTITY },
    { id: "heartbeat", stability: "static", priority: 100, when: inHeartbeat, render: () => HEARTBEAT_IDENTITY },
    { id: "workflow_format", stability: "static", priority: 90, when: inConversation, render: renderFormat },
    {
      id: "blocks",
      stability: "session",
      priority: 80,
      maxTokens: CAPABILITY_TOKENS,
      when: inConversation,
      render: onceItWorks(async () => (blocks ? summarizeCapabilities(await blocks()) : ""), onNotice),
    },
    {
      id: "skills",
      stability: "session",
      priority: 70,
      maxTokens: 1_000,
      when: inConversation,
      render: async () => renderSkills((await skills?.list()) ?? []),
    },
  ];
}

function files({ readFile, onNotice = () => undefined }: SystemPromptOptions): readonly PromptSection[] {
  const onCut = onceEach(onNotice);
  const file = { readFile, onCut };
  return [
    createFileSection({ ...file, name: "AGENTS.md", priority: 60 }),
    createFileSection({ ...file, name: "USER.md", priority: 50, when: inConversation }),
    createFileSection({ ...file, name: "CAMERAS.md", priority: 40, when: inConversation }),
    createFileSection({ ...file, name: "HEARTBEAT.md", priority: 30 }),
  ];
}

function volatile(options: SystemPromptOptions): readonly PromptSection[] {
  const { memory, news } = options;
  return [
    { id: "state", stability: "volatile", priority: 20, render: () => describeState(options) },
    { id: "cameras", stability: "volatile", priority: 18, untrusted: true, render: () => describeOddCameras(options) },
    {
      id: "news",
      stability: "volatile",
      priority: 15,
      untrusted: true,
      maxTokens: NEWS_TOKENS,
      when: inHeartbeat,
      async render() {
        const lines = (await news?.()) ?? [];
        return lines.length === 0 ? "" : `Since the last check, as data:\n${lines.join("\n")}`;
      },
    },
    {
      id: "observations",
      stability: "volatile",
      priority: 10,
      // The marks around it are not counted by the memory.
      maxTokens: OBSERVATION_TOKENS + 100,
      when: inConversation,
      async render() {
        const request = { days: OBSERVATION_DAYS, maxTokens: OBSERVATION_TOKENS };
        const text = (await memory?.recentObservations(request))?.trim() ?? "";
        return text === "" ? "" : `Recent observations, as data:\n${text}`;
      },
    },
  ];
}

function renderFormat(): string {
  const patterns = WORKFLOW_PATTERNS.map(({ title, spec }) => `## ${title}\n${JSON.stringify(spec)}`);
  return [WORKFLOW_FORMAT, ...patterns].join("\n\n");
}

function renderSkills(skills: Awaited<ReturnType<SkillStore["list"]>>): string {
  if (skills.length === 0) return "";
  const lines = skills.map(({ name, description }) =>
    isPlain(description, MOST_DESCRIPTION_WORDS) ? `- ${name}: ${description.replaceAll(/\s+/g, " ")}` : `- ${name}`,
  );
  return `# Skills\nInstruction packs; call load_skill when a request matches one, before you set things up.\n${lines.join("\n")}`;
}

/** A backend that does not answer is asked again at the next turn; one that answered is not: the prefix stays the same. */
function onceItWorks(ask: () => Promise<string>, onNotice: ((message: string) => void) | undefined) {
  let known: string | undefined;
  return async (): Promise<string> => {
    try {
      known ??= await ask();
    } catch (error) {
      onNotice?.(`The blocks of the backend are not in the prompt: ${reasonOf(error)}`);
    }
    return known ?? "";
  };
}

function onceEach(tell: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    tell(message);
  };
}
