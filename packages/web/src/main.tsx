// browser → api, clock and router → page
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { AppProvider } from "./api/app-context.ts";
import { createDashboardApi } from "./api/dashboard-api.ts";
import { browserTime } from "./api/keep-connected.ts";
import { meKey } from "./api/queries.ts";
import { router } from "./shell/router.tsx";
import { SignInGate } from "./shell/sign-in.tsx";
import "./theme.css";

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 10_000 } } });
const api = createDashboardApi(async (address, init) => {
  const response = await fetch(address, init);
  // The login ended while the page was open: the form takes its place.
  if (response.status === 401) queries.setQueryData(meKey, null);
  return response;
});
const services = { api, time: browserTime };

const root = document.getElementById("root");
if (root === null) throw new Error('index.html needs an element with the id "root".');
createRoot(root).render(
  <AppProvider value={services}>
    <QueryClientProvider client={queries}>
      <SignInGate>
        <RouterProvider router={router} />
      </SignInGate>
    </QueryClientProvider>
  </AppProvider>,
);
