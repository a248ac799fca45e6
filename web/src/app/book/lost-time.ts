/** A chosen time that was taken, or has passed, before the client could hold it. */
export type Lost = { instant: string; reason: string };
