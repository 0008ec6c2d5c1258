// Loaded first into a tool (npm, vite, vitest): ends it, with all that it started, when the launcher is killed.
// CommonJS, because the Node that fetches Node may be too old for --import.

// What the tool starts inherits this module, but its channel belongs to the tool.
if (process.channel && process.env.VISION_AGENT_TOOL_OF === String(process.ppid)) {
  process.once("disconnect", () => {
    if (process.platform !== "win32") process.kill(-process.pid, "SIGKILL"); // the tool leads its own process group
    process.exit(1);
  });
  process.channel.unref(); // or the channel alone would keep the tool alive
}
