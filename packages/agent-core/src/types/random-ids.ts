import type { IdSource } from "./clock.ts";

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ids with 80 random bits behind the prefix. */
export const randomIds: IdSource = {
  next(prefix) {
    const random = crypto.getRandomValues(new Uint8Array(16));
    return `${prefix}_${Array.from(random, (byte) => LETTERS[byte & 31]).join("")}`;
  },
};
