/**
 * Until when a session can be cancelled for a refund. The server decides it by the same rule, in
 * `Cancellation::refund_of` of booking, from the same setting of the practice.
 */

const HOUR_MS = 3_600_000;

/** The last moment at which a customer who cancels gets the money back. */
export function freeUntil(startsAt: Date, cancellationHours: number): Date {
  return new Date(startsAt.getTime() - cancellationHours * HOUR_MS);
}

/** Whether a session that is paid for now cannot be cancelled for a refund any more. */
export function isLate(startsAt: Date, cancellationHours: number, now: number): boolean {
  return now > freeUntil(startsAt, cancellationHours).getTime();
}
