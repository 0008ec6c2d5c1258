// a link of a receipt → the list that it leads to, with the thing that it names
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApp } from "../api/app-context.ts";
import type { DashboardApi } from "../api/dashboard-api.ts";
import { TextButton } from "../look/buttons.tsx";
import { Empty, Loading, Problem } from "../look/view-states.tsx";

/** One line of a list: what it is, and smaller what else is known of it. */
export interface ListedThing {
  readonly id: string;
  readonly words: string;
  readonly about: readonly string[];
}

interface ThingList {
  readonly title: string;
  readonly empty: string;
  /** `query`: the words that are searched for, where a list is found by searching. */
  readonly load: (api: DashboardApi, query: string, signal: AbortSignal) => Promise<readonly ListedThing[]>;
}

export const LISTS = {
  watches: {
    title: "Watches",
    empty: "No watches yet. Say in the chat what to watch for.",
    load: async (api, _query, signal) =>
      (await api.watches(signal)).map(({ id, words, cameras, state, counts: { today } }) => ({
        id,
        words,
        about: [cameras.join(", "), state.text, `today: seen ${today.seen}, sent ${today.sent}`],
      })),
  },
  alerts: {
    title: "Alerts",
    empty: "No alerts yet.",
    load: async (api, _query, signal) =>
      (await api.alerts(signal)).map(({ id, text, severity, test, camera, timestamp }) => ({
        id,
        words: text,
        about: [test ? "test" : severity, camera, new Date(timestamp).toLocaleString()],
      })),
  },
  jobs: {
    title: "Jobs",
    empty: "No tasks scheduled.",
    load: async (api, _query, signal) =>
      (await api.jobs(signal)).map(({ id, instructions, schedule, runs: [last] }) => ({
        id,
        words: instructions,
        about: [schedule, last === undefined ? "not run yet" : `last run: ${last.state}`],
      })),
  },
  notes: {
    title: "Notes",
    empty: "No notes to show. Search for words in what is remembered.",
    load: async (api, query, signal) =>
      query === ""
        ? []
        : (await api.notes(query, signal)).passages.map(({ text, path, line, camera = "" }) => ({
            id: `${path}:${line}`,
            words: text,
            about: [camera, `${path}:${line}`],
          })),
  },
  cameras: {
    title: "Cameras",
    empty: "No cameras yet. Add one in the chat, or list it in CAMERAS.md in the workspace.",
    load: async (api, _query, signal) =>
      (await api.cameras(signal)).map(({ name, source, location, notes }) => ({
        id: name,
        words: name,
        about: [source, location, notes],
      })),
  },
} satisfies Readonly<Record<string, ThingList>>;

export interface ListPageProps {
  readonly list: keyof typeof LISTS;
  /** Id of the one that the address names. */
  readonly shown?: string | undefined;
  readonly query?: string | undefined;
}

export function ListPage({ list, shown, query = "" }: ListPageProps): ReactNode {
  const { api } = useApp();
  const { title, empty, load }: ThingList = LISTS[list];
  const things = useQuery({
    queryKey: ["list", list, query],
    queryFn: ({ signal }) => load(api, query, signal),
    refetchOnMount: "always",
  });
  const isGone = shown !== undefined && things.data?.every(({ id }) => id !== shown);
  return (
    <div className="grid grid-cols-1 gap-3 p-4">
      <h1 className="font-semibold text-title">{title}</h1>
      {list === "notes" && <NoteSearch query={query} />}
      {things.isError && <Problem message={things.error.message} onRetry={() => void things.refetch()} />}
      {things.isPending && <Loading reason={`Loading: ${title.toLowerCase()}…`} />}
      {isGone && <Empty>{shown} is no longer there.</Empty>}
      {things.data?.length === 0 && <Empty>{empty}</Empty>}
      <ul className="grid grid-cols-1 gap-2">
        {things.data?.map(({ id, words, about }) => (
          <li
            key={id}
            ref={(row) => (id === shown ? row?.scrollIntoView({ block: "center" }) : undefined)}
            aria-current={id === shown ? "true" : undefined}
            className="border-line border-l-4 py-1 pl-3 [overflow-wrap:anywhere] aria-[current=true]:border-accent aria-[current=true]:bg-raised"
          >
            <p>{words}</p>
            <p className="text-muted text-small">{about.filter((part) => part !== "").join(" · ")}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function NoteSearch({ query }: { readonly query: string }): ReactNode {
  const navigate = useNavigate();
  return (
    <form
      aria-label="Notes"
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const words = new FormData(event.currentTarget).get("words");
        void navigate({ to: ".", search: ({ session }) => ({ session, q: String(words).trim() }) });
      }}
    >
      <input
        name="words"
        aria-label="Search the notes"
        defaultValue={query}
        className="min-h-7 min-w-0 flex-1 rounded-base border border-muted bg-raised px-2 text-small"
      />
      <TextButton type="submit">Search</TextButton>
    </form>
  );
}
