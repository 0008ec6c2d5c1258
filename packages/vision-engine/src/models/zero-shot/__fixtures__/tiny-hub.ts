// files of repositories → a hub on loopback
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** File name → content; objects are JSON. */
export type RepositoryFiles = Readonly<Record<string, Uint8Array | object>>;

export interface TinyHub {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** May be called twice. */
  close(): Promise<void>;
}

/** Gives files out under the addresses of huggingface.co: `/OWNER/NAME/resolve/main/FILE`. */
export async function openTinyHub(repositories: Readonly<Record<string, RepositoryFiles>>): Promise<TinyHub> {
  const files = new Map<string, Buffer>();
  for (const [id, repository] of Object.entries(repositories)) {
    for (const [name, content] of Object.entries(repository)) {
      const bytes = content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(JSON.stringify(content));
      files.set(`/${id}/resolve/main/${name}`, bytes);
    }
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const file = files.get(request.url!);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-length": file.length }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise<unknown>((resolve) => server.close(resolve));
    },
  };
}
