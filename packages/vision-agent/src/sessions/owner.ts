/** The one person whose app this is. */
export const OWNER = { userId: "owner" } as const;
