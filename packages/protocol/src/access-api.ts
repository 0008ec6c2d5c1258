// REST: who may come in, what they may see, and who changed what
import { z } from "zod";
import { changeSchema } from "./effect.ts";

/** `owner` sees and changes everything · `viewer` sees the cameras it was given and changes nothing. */
export const accessRoleSchema = z.enum(["owner", "viewer"]);
export type AccessRole = z.infer<typeof accessRoleSchema>;

const accountName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}_.@-]{0,63}$/u, "a name of letters, digits, dots, dashes and @, at most 64");
const password = z.string().min(10, "a password of at least 10 characters").max(200);
const cameraNames = z.array(z.string().min(1).max(64)).max(256);

/** One row of `GET /api/accounts` */
export const accountSchema = z.object({
  name: z.string(),
  role: accessRoleSchema,
  /** What a viewer sees; null is every camera. */
  cameras: z.array(z.string()).nullable(),
  created_at: z.iso.datetime(),
});
export type Account = z.infer<typeof accountSchema>;

/** `POST /api/accounts` */
export const newAccountSchema = z.strictObject({
  name: accountName,
  password,
  role: accessRoleSchema.default("viewer"),
  /** Left out: every camera. */
  cameras: cameraNames.nullable().default(null),
});
export type NewAccount = z.infer<typeof newAccountSchema>;

/** `PATCH /api/accounts/{name}`: what is left out stays. */
export const accountChangeSchema = z.strictObject({
  password: password.optional(),
  role: accessRoleSchema.optional(),
  cameras: cameraNames.nullable().optional(),
});
export type AccountChange = z.infer<typeof accountChangeSchema>;

/** `POST /api/login` */
export const loginRequestSchema = z.strictObject({ name: z.string().min(1).max(200), password: z.string().max(1000) });

/** `GET /api/me` */
export const meSchema = accountSchema.pick({ name: true, role: true, cameras: true });
export type Me = z.infer<typeof meSchema>;

/** One row of `GET /api/logins`: a browser that is signed in. */
export const browserLoginSchema = z.object({
  id: z.string(),
  /** The account, or `local`: opened with a link of this computer. */
  name: z.string(),
  /** What the browser calls itself. */
  browser: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** The one that asks. */
  current: z.boolean(),
});
export type BrowserLogin = z.infer<typeof browserLoginSchema>;

/** `POST /api/login-codes`: open `URL?token=CODE` once. Apart, because a token in an address is hidden in every answer. */
export const loginCodeSchema = z.object({ url: z.string(), code: z.string(), expires_at: z.iso.datetime() });
export type LoginCode = z.infer<typeof loginCodeSchema>;

/** A line of the audit log: who asked for which change, and what came of it. */
export const auditEntrySchema = z.object({
  at: z.iso.datetime(),
  /** Name of the account; `local` for this computer, `unknown` where nobody was recognised. */
  who: z.string(),
  role: accessRoleSchema.nullable(),
  /** Address it came from. */
  client: z.string(),
  /** `DELETE /api/watches/w1` */
  request: z.string(),
  status: z.int(),
  /** The run of the agent that it began. */
  run_id: z.string().optional(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** `GET /api/audit`, newest first; with what the agent changed in the run that was begun. */
export const auditSchema = z.array(auditEntrySchema.extend({ changes: z.array(changeSchema) }));
export type Audit = z.infer<typeof auditSchema>;
