import { Link, useRouter } from "@tanstack/react-router";
import type { ChatMessage, Effect } from "@vision-agent/protocol";
import { stepLine } from "@vision-agent/protocol/step-sentence";
import { Check } from "lucide-react";
import { Fragment, lazy, type ReactNode, Suspense, useState } from "react";
import { artifactUrl } from "../api/dashboard-api.ts";
import { BoxedPicture } from "../look/boxed-picture.tsx";
import { DialogFrame } from "../look/dialog-frame.tsx";
import { SeveritySign } from "../look/view-states.tsx";
import { type RunView, type TurnPart, toParts } from "./run-view.ts";
import { ToolLine } from "./tool-line.tsx";

// Markdown is the largest part of the dashboard and is not needed for the first picture.
const Markdown = lazy(() => import("./markdown.tsx").then((module) => ({ default: module.Markdown })));

/** A message that is complete. */
export function MessageItem({
  message,
  speaker,
}: {
  readonly message: ChatMessage;
  readonly speaker: string;
}): ReactNode {
  if (message.role === "user") return <SaidItem text={message.text} images={message.images} />;
  return (
    <SpokenItem speaker={speaker}>
      <Parts parts={toParts(message)} streaming={false} />
    </SpokenItem>
  );
}

/** A turn as it goes on, cut where a person spoke into it. */
export function RunItems({ run, speaker }: { readonly run: RunView; readonly speaker: string }): ReactNode {
  const stretches = splitAtSaid(run.parts);
  const isRunning = run.status === "running";
  return stretches.map(({ said, parts }, index) => {
    const isLast = index === stretches.length - 1;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: stretches are only ever added at the end
      <Fragment key={index}>
        {said !== undefined && <SaidItem text={said} images={[]} />}
        {(parts.length > 0 || (isLast && isRunning)) && (
          <SpokenItem speaker={run.speaker === "" ? speaker : run.speaker}>
            <Parts parts={parts} streaming={isRunning} />
            {isLast && isRunning && <p className="text-muted text-small">{run.waitingFor ?? activityOf(parts)}</p>}
          </SpokenItem>
        )}
      </Fragment>
    );
  });
}

function SaidItem({ text, images }: { readonly text: string; readonly images: readonly string[] }): ReactNode {
  return (
    <li data-testid="chat-message" data-role="user" className="ml-10 flex min-w-0 flex-col gap-2 justify-self-end">
      <span className="sr-only">You said:</span>
      <p className="whitespace-pre-wrap rounded-base bg-pressed px-3 py-1.5 [overflow-wrap:anywhere]">{text}</p>
      {images.map((id) => (
        <ChatPicture key={id} id={id} alt="Picture you sent" />
      ))}
    </li>
  );
}

function SpokenItem({ speaker, children }: { readonly speaker: string; readonly children: ReactNode }): ReactNode {
  return (
    <li data-testid="chat-message" data-role="assistant" className="grid min-w-0 grid-cols-1 gap-2">
      <p className="text-muted text-small">{speaker}</p>
      {children}
    </li>
  );
}

function Parts({ parts, streaming }: { readonly parts: readonly TurnPart[]; readonly streaming: boolean }): ReactNode {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
    <PartView key={index} part={part} streaming={streaming && index === parts.length - 1} />
  ));
}

function PartView({ part, streaming }: { readonly part: TurnPart; readonly streaming: boolean }): ReactNode {
  switch (part.kind) {
    case "text":
      return (
        <Suspense fallback={<p className="whitespace-pre-wrap">{part.text}</p>}>
          <Markdown text={part.text} streaming={streaming} />
        </Suspense>
      );
    case "thinking":
      return (
        <details className="text-muted text-small">
          <summary className="min-h-6 hover:text-text">{streaming ? "Thinking…" : "Thought"}</summary>
          <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{part.text}</p>
        </details>
      );
    case "step": {
      const done = stepLine(part.step.tool, part.step.arguments, true);
      return (
        <>
          <ToolLine step={part.step} />
          {part.step.result?.images.map((id) => (
            <ChatPicture key={id} id={id} alt={`Picture: ${done}`} />
          ))}
        </>
      );
    }
    case "images":
      return part.images.map((id) => <ChatPicture key={id} id={id} alt="Picture of this answer" />);
    case "notice":
      return (
        <p className="text-small [overflow-wrap:anywhere]">
          {part.tone !== "info" && <SeveritySign severity={part.tone} />}{" "}
          <span className={part.tone === "info" ? "text-muted" : ""}>{part.text}</span>
        </p>
      );
    case "receipt":
      return <ReceiptList effects={part.effects} />;
    case "said":
      return null;
  }
}

/** What the turn changed, written by the program and not by the assistant. */
function ReceiptList({ effects }: { readonly effects: readonly Effect[] }): ReactNode {
  const router = useRouter();
  const hasPage = (link: string): boolean => router.getMatchedRoutes(link)[2] !== undefined;
  if (effects.length === 0) return <p className="text-muted text-small">No changes made.</p>;
  return (
    <ul aria-label="Changes" className="grid grid-cols-1 gap-0.5 text-small">
      {effects.map(({ id, kind, text, link }) => (
        <li key={`${kind} ${id}`} className="flex gap-2 [overflow-wrap:anywhere]">
          <Check aria-hidden="true" size={14} className="mt-0.5 shrink-0 text-ok" />
          {hasPage(link) ? (
            <Link to={link} className="underline underline-offset-2">
              {text}
            </Link>
          ) : (
            <span>{text}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface Stretch {
  readonly said: string | undefined;
  readonly parts: readonly TurnPart[];
}

function splitAtSaid(parts: readonly TurnPart[]): readonly Stretch[] {
  const stretches: { said: string | undefined; parts: TurnPart[] }[] = [{ said: undefined, parts: [] }];
  for (const part of parts) {
    if (part.kind === "said") stretches.push({ said: part.text, parts: [] });
    else stretches.at(-1)?.parts.push(part);
  }
  return stretches;
}

/** What a quiet moment in a turn means. */
function activityOf(parts: readonly TurnPart[]): string {
  const last = parts.at(-1);
  if (last?.kind === "step" && last.step.result === undefined) return "Working…";
  return last?.kind === "text" ? "Writing…" : "Thinking…";
}

const PREVIEW_WIDTH = 640;

/** A picture in the conversation; it opens large. */
function ChatPicture({ id, alt }: { readonly id: string; readonly alt: string }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`Open large: ${alt}`}
        className="block aspect-video w-full overflow-hidden rounded-base bg-pressed"
      >
        <img src={artifactUrl(id, PREVIEW_WIDTH)} alt={alt} className="size-full object-contain" />
      </button>
      <DialogFrame open={open} onClose={() => setOpen(false)} title={alt} size="picture">
        <BoxedPicture src={artifactUrl(id)} alt={alt} />
      </DialogFrame>
    </>
  );
}
