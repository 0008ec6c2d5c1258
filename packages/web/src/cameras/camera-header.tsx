import type { Camera, PipelineStatus } from "@vision-agent/protocol";
import { AtSign } from "lucide-react";
import type { ReactNode } from "react";
import { useMention } from "../chat/mentions.ts";
import { IconButton } from "../look/buttons.tsx";
import { TimeAgo } from "../look/times.tsx";
import type { CameraTone, CameraWords } from "./camera-state.ts";

const TONES: Readonly<Record<CameraTone, string>> = {
  ok: "text-ok",
  wait: "text-warn",
  down: "text-critical",
};

/** DrawnShape, word and colour: a full dot is live, a ring waits, a cross is down. */
export function StateSign({ words }: { readonly words: CameraWords }): ReactNode {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap text-small ${TONES[words.tone]}`}>
      <svg
        aria-hidden="true"
        viewBox="0 0 10 10"
        className="size-2.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
      >
        {words.tone === "ok" && <circle cx="5" cy="5" r="4" fill="currentColor" />}
        {words.tone === "wait" && <circle cx="5" cy="5" r="4" />}
        {words.tone === "down" && <path d="M1 1l8 8M9 1l-8 8" />}
      </svg>
      {words.label}
    </span>
  );
}

export interface CameraHeaderProps {
  readonly camera: Camera;
  readonly words: CameraWords;
  readonly pipelines: readonly PipelineStatus[];
  readonly downSince: string | undefined;
}

export function CameraHeader({ camera, words, pipelines, downSince }: CameraHeaderProps): ReactNode {
  const mention = useMention();
  return (
    <header className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
      <h1 className="font-semibold text-title">{camera.name}</h1>
      <StateSign words={words} />
      {words.detail !== undefined && <span className="text-muted text-small">{words.detail}</span>}
      {downSince !== undefined && (
        <span className="text-muted text-small">
          went down <TimeAgo at={downSince} />
        </span>
      )}
      <span className="ml-auto flex min-w-0 items-center gap-2">
        <span
          className="max-w-[24rem] truncate text-muted text-small max-wide:hidden"
          title={pipelines[0]?.workflow_description}
        >
          {pipelineWords(pipelines)}
        </span>
        <IconButton
          label={`Ask about ${camera.name}`}
          onClick={() => mention({ key: `camera ${camera.name}`, words: `camera ${camera.name}` })}
        >
          <AtSign aria-hidden="true" size={16} />
        </IconButton>
      </span>
    </header>
  );
}

function pipelineWords([newest, ...others]: readonly PipelineStatus[]): string {
  if (newest === undefined) return "";
  return others.length === 0 ? newest.name : `${newest.name} and ${others.length} more`;
}
