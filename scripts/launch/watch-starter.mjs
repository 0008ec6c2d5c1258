import { describeProcess, isAlive } from "./process-identity.mjs";

const INTERVAL_MS = 500;

/**
 * npm → sh → launcher. A stopped npm signals only its sh, and not every sh passes it on, so under npm the launcher
 * looks after both itself. Started by hand it does not: nohup and disown must keep working.
 * @param {() => void} onGone called once, when npm or the shell between is gone
 * @param {{ underNpm?: boolean }} [options]
 * @returns {{ stop: () => void }}
 */
export function watchStarter(onGone, { underNpm = process.env.npm_lifecycle_event !== undefined } = {}) {
  if (!underNpm) return { stop: () => undefined };
  const parent = process.ppid;
  const npm = npmBehind(parent);
  const timer = setInterval(() => {
    const parentLives = process.ppid === parent && isAlive(parent); // Windows keeps a dead parent's number
    if (parentLives && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Some shells become the command they run: then npm is the parent itself, and behind it is the person's own shell.
 * @param {number} parent
 */
function npmBehind(parent) {
  const shell = describeProcess(parent);
  return shell === undefined || /^(npm|npx|node)/.test(shell.name) || shell.parent <= 1 ? undefined : shell.parent;
}
