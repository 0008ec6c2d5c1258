import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";

const server = "http://127.0.0.1:4750";

export default {
  root: import.meta.dirname,
  base: "/",
  plugins: [react(), tailwindcss()],
  server: { proxy: { "/api": server, "/healthz": server } },
  build: {
    outDir: "dist",
    target: "es2024",
    // light-dark() and oklch() reach the browser as written.
    cssTarget: ["chrome123", "safari17.5", "firefox120"],
    modulePreload: { polyfill: false },
  },
};
