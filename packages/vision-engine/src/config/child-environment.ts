/** All that a child process is told of ours: no keys, no home folder. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: "C" };
}
