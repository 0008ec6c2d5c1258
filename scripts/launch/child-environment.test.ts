import { delimiter } from "node:path";
import { describe, expect, it } from "vitest";
import { toChildEnvironment } from "./child-environment.mjs";

const node = "/opt/node24/bin/node";

describe("toChildEnvironment", () => {
  it("drops what was meant for the outer npm alone", () => {
    const env = toChildEnvironment(
      {
        npm_config_workspace: "packages/web",
        npm_config_omit: "dev",
        npm_config_dry_run: "true",
        NPM_CONFIG_GLOBAL: "true",
        npm_config_save_exact: "true",
        npm_lifecycle_event: "start",
        npm_package_name: "x",
      },
      node,
    );
    expect(Object.keys(env).sort()).toEqual(["NODE", "PATH", "npm_node_execpath"]);
  });

  it("keeps registry, proxy, cache and the person's own variables", () => {
    const kept = {
      npm_config_registry: "http://127.0.0.1:1",
      HTTPS_PROXY: "http://127.0.0.1:2",
      npm_config_cache: "/c",
      npm_execpath: "/npm-cli.js",
      INIT_CWD: "/home",
      ANYTHING: "1",
    };
    expect(toChildEnvironment(kept, node)).toMatchObject(kept);
  });

  it("puts the chosen Node first in the path, whatever the case of its name", () => {
    expect(toChildEnvironment({ Path: "/usr/bin" }, node)).toEqual({
      Path: `/opt/node24/bin${delimiter}/usr/bin`,
      NODE: node,
      npm_node_execpath: node,
    });
  });
});
