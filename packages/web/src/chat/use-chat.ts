import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Pause } from "@vision-agent/protocol";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { pausesKey, pausesQuery } from "../api/queries.ts";
import { ChatSession, type ChatView } from "./chat-session.ts";

/** The conversation with this id, or a new one; it keeps its place when it gets its id. */
export function useChat(sessionId: string | undefined, onCreated: (sessionId: string) => void): ChatSession {
  const { api, time } = useApp();
  const [chat, setChat] = useState(() => new ChatSession({ api, time, sessionId, onCreated }));

  useEffect(() => {
    void chat.open();
    return () => chat.close();
  }, [chat]);

  useEffect(() => {
    setChat((current) =>
      current.view().sessionId === sessionId ? current : new ChatSession({ api, time, sessionId, onCreated }),
    );
  }, [api, time, sessionId, onCreated]);

  return chat;
}

/** What waits for a person in this conversation, wherever it is answered. */
export function usePauses(chat: ChatSession, { sessionId, busy, answered }: ChatView): readonly Pause[] {
  const { api } = useApp();
  const cache = useQueryClient();
  const { data: all } = useQuery(pausesQuery(api));
  const here = (all ?? []).filter((pause) => pause.session_id === sessionId && !answered.has(pause.id));
  const ids = here.map(({ id }) => id).join(" ");

  // A turn that ends may have ended at a question.
  useEffect(() => {
    if (!busy) void cache.invalidateQueries({ queryKey: pausesKey });
  }, [busy, cache]);

  // Answered elsewhere: the conversation tells what came of it.
  const waited = useRef<readonly string[]>([]);
  const readGone = useEffectEvent(() => {
    const gone = waited.current.filter((id) => !answered.has(id) && all?.every((pause) => pause.id !== id));
    waited.current = here.map(({ id }) => id);
    if (!busy && gone.length > 0) void chat.open();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be looked at whenever the list changes
  useEffect(() => readGone(), [ids]);

  return here;
}
