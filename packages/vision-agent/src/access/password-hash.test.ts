import { expect, it } from "vitest";
import { createPasswordHasher } from "./password-hash.ts";

it("hashes as costly as a person can wait for, and reads hashes of another cost", async () => {
  const hash = await createPasswordHasher().hash("correct horse battery");
  expect(hash).toMatch(/^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  const cheaper = createPasswordHasher({ log2n: 8, r: 8, p: 1 });
  expect(await cheaper.fits("correct horse battery", hash)).toBe(true);
  expect(await cheaper.fits("correct horse batterz", hash)).toBe(false);
  expect(await cheaper.fits("anything", undefined)).toBe(false);
});
