/** All that a child process is told of ours: no keys, no home folder. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: "C" };
}

/** What the npm client needs for its registry, proxy, login and cache. */
const NPM =
  /^(?:path|home|lang|tmpdir|npm_config_.*|npm_token|node_auth_token|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|userprofile|appdata|localappdata|systemroot|comspec|pathext|temp)$/i;

/** All that the npm client is told of ours: no keys of models, cameras or servers. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => NPM.test(name)));
}
