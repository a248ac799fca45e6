/** Times that were chosen and could not be held. */

/** Of a package it is not known which of its times are gone. */
export type RefusedTimes = {
  reason: string;
  /** The starts of all sessions, earliest first. */
  starts: readonly string[];
  /** Why what was scheduled in the provider's widget got no booking; its event is cancelled there. */
  scheduled?: string;
};

const GONE = new Set(['SLOT_TAKEN', 'SLOT_PAST', 'SLOT_NOT_OFFERED', 'SCHEDULED_EVENT_USED']);

/** Whether a request was refused because of a time that can't be had any more. */
export function isTimeGone(reason: string): boolean {
  return GONE.has(reason);
}
