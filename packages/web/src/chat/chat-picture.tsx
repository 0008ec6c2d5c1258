import { type ReactNode, useState } from "react";
import { artifactUrl } from "../api/dashboard-api.ts";
import { BoxedPicture } from "../look/boxed-picture.tsx";
import { DialogFrame } from "../look/dialog-frame.tsx";

const PREVIEW_WIDTH = 640;

/** A picture in the conversation; it opens large. */
export function ChatPicture({ id, alt }: { readonly id: string; readonly alt: string }): ReactNode {
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
