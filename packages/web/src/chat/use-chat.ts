import { useEffect, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { ChatSession } from "./chat-session.ts";

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
