import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { ApiFailure } from "../api/dashboard-api.ts";
import { meQuery } from "../api/queries.ts";
import { TextButton } from "../look/buttons.tsx";
import { Loading } from "../look/view-states.tsx";

/** The dashboard for whoever is signed in, else the form. Where nobody answers, the dashboard says so itself. */
export function SignInGate({ children }: { readonly children: ReactNode }): ReactNode {
  const { api } = useApp();
  const { data: me, isPending } = useQuery(meQuery(api));
  if (isPending) return <Loading reason="Loading…" />;
  if (me !== null) return children;
  const { pathname, search } = window.location;
  // A link that signs in leads elsewhere at once; who is still at it was refused.
  return <SignInPage usedLink={pathname === "/login" && new URLSearchParams(search).has("token")} />;
}

const FIELD = "min-h-9 rounded-base border border-line bg-surface px-2.5 text-base text-text";

function SignInPage({ usedLink }: { readonly usedLink: boolean }): ReactNode {
  const { api } = useApp();
  const [problem, setProblem] = useState(usedLink ? "This link has expired or was used before." : undefined);
  const [isBusy, setBusy] = useState(false);

  const signIn = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await api.signIn(String(form.get("name")), String(form.get("password")));
      window.location.replace("/");
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      setProblem([failure.message, failure.hint].filter(Boolean).join(" "));
      setBusy(false);
    }
  };

  return (
    <main className="mx-auto grid max-w-80 content-center gap-4 px-4 py-16">
      <h1 className="font-semibold text-title">Sign in to Vision Agent</h1>
      <p className="text-muted text-small">
        On the computer that runs it, open the link that <code>npm start</code> printed, or get a new one with{" "}
        <code>vision-agent link</code>. No account is needed there.
      </p>
      <form onSubmit={(event) => void signIn(event)} className="grid gap-3">
        <label className="grid gap-1 text-small">
          Name
          <input name="name" autoComplete="username" required className={FIELD} />
        </label>
        <label className="grid gap-1 text-small">
          Password
          <input name="password" type="password" autoComplete="current-password" required className={FIELD} />
        </label>
        <TextButton type="submit" look="primary" disabled={isBusy} className="min-h-9">
          Sign in
        </TextButton>
        <p role="alert" className="text-critical text-small">
          {problem}
        </p>
      </form>
    </main>
  );
}
