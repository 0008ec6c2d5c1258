// a file of the workspace → text between marks, without credentials, cut where it is too long
import { type PromptSection, toDataBlock } from "@vision-agent/agent-core";
import { replaceAddresses, withoutCredentials } from "../workspace/camera-address.ts";

/** What the owner writes for every turn. */
export type PromptFile = "AGENTS.md" | "USER.md" | "CAMERAS.md" | "HEARTBEAT.md";

export interface FileSectionOptions {
  readonly name: PromptFile;
  readonly priority: number;
  readonly when?: (mode: string) => boolean;
  /** Undefined when there is no such file. */
  readonly readFile: (name: PromptFile) => Promise<string | undefined>;
  /** Told when a file is cut, in a sentence. Must not throw. */
  readonly onCut?: (message: string) => void;
}

/** About 4,000 tokens (VA-15). More is cut off, and the cut is visible. */
const FILE_LIMIT = 16_000;
/** More than a file at its limit can have: the cut is made here, at the end, and nowhere else. */
const FILE_TOKENS = 8_000;

const ABOUT: Readonly<Record<PromptFile, string>> = {
  "AGENTS.md": "how the owner wants you to work",
  "USER.md": "about the person",
  "CAMERAS.md": "the cameras, as data",
  "HEARTBEAT.md": "the checklist of heartbeats",
};

export function createFileSection({ name, priority, when, readFile, onCut }: FileSectionOptions): PromptSection {
  return {
    id: name,
    stability: "session",
    priority,
    maxTokens: FILE_TOKENS,
    ...(when && { when }),
    async render() {
      const written = (await readFile(name))?.trim() ?? "";
      const text = replaceAddresses(written, withoutCredentials);
      if (text === "") return "";
      const note = `${name} is cut off here: ${FILE_LIMIT} of ${text.length} characters are shown.`;
      const isCut = text.length > FILE_LIMIT;
      if (isCut) onCut?.(`${name} is too long for the assistant: ${FILE_LIMIT} of ${text.length} characters are read.`);
      const shown = isCut ? `${text.slice(0, FILE_LIMIT).toWellFormed()}\n[${note}]` : text;
      return `# ${name}: ${ABOUT[name]}\n${toDataBlock("text", shown, name)}`;
    },
  };
}
