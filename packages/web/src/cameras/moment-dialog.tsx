import type { SceneEvent } from "@vision-agent/protocol";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { eventPictureUrl } from "../api/dashboard-api.ts";
import { useMention } from "../chat/mentions.ts";
import { BoxedPicture } from "../look/boxed-picture.tsx";
import { IconButton, TextButton } from "../look/buttons.tsx";
import { DialogFrame } from "../look/dialog-frame.tsx";
import { TimeAgo } from "../look/times.tsx";
import { classColour } from "./class-colour.ts";

/** An event, or as much of it as an alert tells. */
export type Moment = Pick<SceneEvent, "id" | "timestamp" | "camera" | "text" | "picture" | "box_xyxy" | "class_name">;

export interface MomentDialogProps {
  /** What was opened; undefined when nothing is. */
  readonly opened: Moment | undefined;
  /** Newest first: what the arrows walk through. */
  readonly events: readonly Moment[];
  readonly onShow: (moment: Moment | undefined) => void;
}

/** One event with its picture and its sentence; arrows go to the one before and after. */
export function MomentDialog({ opened, events, onShow }: MomentDialogProps): ReactNode {
  const mention = useMention();
  // What is shown stays while the dialog closes.
  const [last, setLast] = useState(opened);
  if (opened !== undefined && opened !== last) setLast(opened);
  if (last === undefined) return null;
  const place = events.findIndex(({ id }) => id === last.id);
  const older = place < 0 ? undefined : events[place + 1];
  const newer = place < 0 ? undefined : events[place - 1];
  const walk = (event: KeyboardEvent): void => {
    if (event.key === "ArrowLeft" && older !== undefined) onShow(older);
    if (event.key === "ArrowRight" && newer !== undefined) onShow(newer);
  };
  return (
    <DialogFrame
      open={opened !== undefined}
      onClose={() => onShow(undefined)}
      title={last.text}
      size="picture"
      onKeyDown={walk}
    >
      <div className="flex min-h-0 flex-col">
        {last.picture === undefined ? (
          <p className="p-4 text-muted text-small">No picture was saved of this moment.</p>
        ) : (
          <BoxedPicture
            key={last.id}
            src={eventPictureUrl(last.id)}
            alt={`${last.camera}: ${last.text}`}
            xyxy={last.box_xyxy}
            colour={classColour(last.class_name ?? "")}
          />
        )}
        <footer className="flex items-center gap-3 px-4 py-2 text-muted text-small">
          <IconButton
            label="Older event"
            disabled={older === undefined}
            onClick={() => onShow(older)}
            className="-ml-2"
          >
            <ChevronLeft aria-hidden="true" size={18} />
          </IconButton>
          <IconButton label="Newer event" disabled={newer === undefined} onClick={() => onShow(newer)}>
            <ChevronRight aria-hidden="true" size={18} />
          </IconButton>
          <span>{last.camera}</span>
          <TimeAgo at={last.timestamp} />
          <TextButton
            className="ml-auto"
            onClick={() => {
              mention({ key: last.id, words: `event ${last.id} on camera ${last.camera}: ${last.text}` });
              onShow(undefined);
            }}
          >
            Ask about this
          </TextButton>
        </footer>
      </div>
    </DialogFrame>
  );
}
