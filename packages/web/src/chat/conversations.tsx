import { useQuery } from "@tanstack/react-query";
import { History, SquarePen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { sessionsQuery } from "../api/queries.ts";
import { IconButton } from "../look/buttons.tsx";
import { DialogFrame } from "../look/dialog-frame.tsx";
import { TimeAgo } from "../look/times.tsx";
import { Empty, Loading, Problem } from "../look/view-states.tsx";

/** Opens a conversation; undefined begins a new one. */
export type OpenSession = (sessionId: string | undefined) => void;

/** Two buttons: begin anew, or go back to an earlier conversation. */
export function Conversations({ onOpen }: { readonly onOpen: OpenSession }): ReactNode {
  const [listed, setListed] = useState(false);
  return (
    <>
      <IconButton label="Earlier conversations" onClick={() => setListed(true)}>
        <History aria-hidden="true" size={18} />
      </IconButton>
      <IconButton label="New conversation" onClick={() => onOpen(undefined)}>
        <SquarePen aria-hidden="true" size={18} />
      </IconButton>
      <DialogFrame open={listed} onClose={() => setListed(false)} title="Earlier conversations" size="text">
        <SessionList
          onOpen={(id) => {
            setListed(false);
            onOpen(id);
          }}
        />
      </DialogFrame>
    </>
  );
}

function SessionList({ onOpen }: { readonly onOpen: OpenSession }): ReactNode {
  const { api } = useApp();
  const sessions = useQuery({ ...sessionsQuery(api), refetchOnMount: "always" });
  if (sessions.data === undefined || sessions.data.length === 0) {
    return (
      <div className="p-4">
        {sessions.isError && <Problem message={sessions.error.message} onRetry={() => void sessions.refetch()} />}
        {sessions.isPending && <Loading reason="Loading the conversations…" />}
        {sessions.isSuccess && <Empty>No conversations yet.</Empty>}
      </div>
    );
  }
  return (
    <ul className="min-h-0 overflow-y-auto py-1">
      {sessions.data.map(({ id, title, updated_at }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => onOpen(id)}
            className="-outline-offset-2 flex min-h-9 w-full items-center justify-between gap-4 px-4 text-left hover:bg-pressed"
          >
            <span className="truncate">{title === "" ? "Empty conversation" : title}</span>
            <span className="whitespace-nowrap text-muted text-small">
              <TimeAgo at={updated_at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
