import type { Alert } from "@vision-agent/protocol";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { artifactUrl } from "../api/dashboard-api.ts";
import { IconButton } from "../look/buttons.tsx";
import { TimeAgo } from "../look/times.tsx";
import { SeveritySign } from "../look/view-states.tsx";

export interface AlertRowProps {
  /** Newest first. */
  readonly alerts: readonly Alert[];
  readonly onOpen: (alert: Alert) => void;
}

/** The newest alert, calmly; its place is kept while there is none. */
export function AlertRow({ alerts, onOpen }: AlertRowProps): ReactNode {
  const [dismissed, setDismissed] = useState<string>();
  const newest = alerts[0];
  const shown = newest === undefined || newest.id === dismissed ? undefined : newest;
  return (
    <div role="status" aria-label="Newest alert" className="flex min-h-12 items-center wide:mt-auto">
      {shown === undefined ? (
        <p className="text-muted text-small">{newest === undefined ? "No alerts yet." : "No new alerts."}</p>
      ) : (
        <div
          key={shown.id}
          className={`flex w-full min-w-0 items-center border-l-4 bg-raised pl-3 motion-safe:animate-arrive ${
            shown.severity === "info" ? "border-line" : "border-accent"
          }`}
        >
          <button
            type="button"
            onClick={() => onOpen(shown)}
            className="flex min-w-0 flex-1 items-center gap-3 py-1 text-left text-small"
          >
            {shown.picture !== undefined && (
              <img
                src={artifactUrl(shown.picture, 128)}
                alt=""
                className="h-10 w-16 shrink-0 rounded-base bg-pressed object-cover"
              />
            )}
            <span className="grid min-w-0 flex-1 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 wide:grid-cols-[auto_minmax(0,1fr)_auto]">
              <SeveritySign severity={shown.severity} />
              <span className="truncate max-wide:order-last max-wide:col-span-2">{shown.text}</span>
              <span className="truncate text-muted max-wide:text-right">
                <TimeAgo at={shown.timestamp} />
                <span className="max-wide:hidden"> · {shown.camera}</span>
              </span>
            </span>
          </button>
          <IconButton label="Dismiss this alert" onClick={() => setDismissed(shown.id)}>
            <X aria-hidden="true" size={16} />
          </IconButton>
        </div>
      )}
    </div>
  );
}
