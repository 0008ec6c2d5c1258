import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { useEventStream } from "../api/event-stream.ts";
import { camerasQuery, healthQuery, meQuery, pausesQuery } from "../api/queries.ts";
import { ChatPanel } from "../chat/chat-panel.tsx";
import { type Mention, MentionProvider, useMentions } from "../chat/mentions.ts";
import { useChat } from "../chat/use-chat.ts";
import { useRemembered, useWide } from "./browser-state.ts";
import { DegradedBars } from "./degraded-bars.tsx";
import type { KeyAction } from "./keys.ts";
import { useKeys } from "./keys.ts";
import { KeysDialog } from "./keys-dialog.tsx";
import { Navigation } from "./navigation.tsx";

/** The page around every view: navigation, what is degraded, and the chat that is always at hand. */
export function Shell(): ReactNode {
  const { api } = useApp();
  const navigate = useNavigate();
  const connection = useEventStream();
  const health = useQuery(healthQuery(api)).data;
  const cameras = useQuery(camerasQuery(api)).data;
  const me = useQuery(meQuery(api)).data;
  // The agent acts as owner: a viewer does not talk to it.
  const canTalk = me?.role !== "viewer";
  const pauses = useQuery({ ...pausesQuery(api), enabled: canTalk }).data ?? [];
  const [lastSession, openSession] = useSession();
  const sessionId = canTalk ? lastSession : undefined;
  const chat = useChat(sessionId, openSession);
  const mentions = useMentions();
  const [sheetOpen, setSheetOpen] = useState(false);
  const [keysOpen, setKeysOpen] = useState(false);
  const [singleKeys, setSingleKeys] = useRemembered("single-keys", "on");
  const isWide = useWide();
  const composer = useRef<HTMLTextAreaElement>(null);

  const compose = (): void => {
    setSheetOpen(true);
    composer.current?.focus();
  };
  const act = (action: KeyAction): void => {
    switch (action.kind) {
      case "compose":
        compose();
        return;
      case "show_keys":
        setKeysOpen(true);
        return;
      case "camera": {
        const name = cameras?.[action.index]?.name;
        if (name !== undefined) void navigate({ to: "/cameras/$name", params: { name } });
        return;
      }
      case "wall":
        void navigate({ to: "/cameras" });
        return;
      case "escape":
        if (chat.view().busy) void chat.stop();
        else setSheetOpen(false);
    }
  };
  useKeys(act, singleKeys === "on");
  const mention = (thing: Mention): void => {
    mentions.add(thing);
    compose();
  };

  return (
    <div className="flex flex-col wide:h-dvh">
      <DegradedBars
        connection={connection}
        health={health}
        pauses={pauses.filter(({ session_id }) => session_id !== sessionId || !(isWide || sheetOpen))}
        onAnswer={({ session_id }) => {
          if (session_id !== sessionId) openSession(session_id);
          setSheetOpen(true);
        }}
      />
      <div className="wide:grid wide:min-h-0 wide:flex-1 wide:grid-cols-[auto_minmax(0,1fr)_24rem]">
        <Navigation
          chatOpen={sheetOpen}
          onLive={() => setSheetOpen(false)}
          onChat={() => setSheetOpen(!sheetOpen)}
          onKeys={() => setKeysOpen(true)}
          onSignOut={
            me && me.name !== "local" ? () => void api.signOut().then(() => window.location.reload()) : undefined
          }
        />
        <main inert={sheetOpen && !isWide} className="pb-36 wide:min-h-0 wide:overflow-y-auto wide:pb-0">
          <MentionProvider value={mention}>
            <Outlet />
          </MentionProvider>
        </main>
        {canTalk ? (
          <ChatPanel
            chat={chat}
            camera={cameras?.[0]?.name}
            speaker={health?.speaker ?? "Assistant"}
            open={sheetOpen}
            onOpenChange={setSheetOpen}
            inputRef={composer}
            mentions={mentions.list}
            onUnmention={mentions.remove}
            onOpenSession={openSession}
          />
        ) : (
          <aside aria-label="Chat" className="border-line p-4 text-muted text-small wide:border-l">
            {me?.name} can look at cameras, events and alerts. Talking to the agent and changing things needs an owner.
          </aside>
        )}
      </div>
      <KeysDialog
        open={keysOpen}
        onClose={() => setKeysOpen(false)}
        singleKeys={singleKeys === "on"}
        onSingleKeys={(on) => setSingleKeys(on ? "on" : "off")}
      />
    </div>
  );
}

/** The conversation of this page: the address names it, and a page opened anew takes the last one. */
function useSession(): readonly [sessionId: string | undefined, open: (sessionId: string | undefined) => void] {
  const navigate = useNavigate();
  const { session } = useSearch({ from: "__root__" });
  const [last, remember] = useRemembered("session", "");
  const open = useCallback(
    (sessionId: string | undefined) => {
      remember(sessionId ?? "");
      void navigate({ to: ".", search: sessionId === undefined ? {} : { session: sessionId }, replace: true });
    },
    [navigate, remember],
  );
  return [session ?? (last === "" ? undefined : last), open];
}
