// browser → api, clock and router → page
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { AppProvider } from "./api/app-context.ts";
import { createDashboardApi } from "./api/dashboard-api.ts";
import { browserTime } from "./api/keep-connected.ts";
import { router } from "./shell/router.tsx";
import "./theme.css";

const services = { api: createDashboardApi((address, init) => fetch(address, init)), time: browserTime };
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 10_000 } } });

const root = document.getElementById("root");
if (root === null) throw new Error('index.html needs an element with the id "root".');
createRoot(root).render(
  <AppProvider value={services}>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </AppProvider>,
);
