const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** "12:05" */
export function clockText(leftMs: number): string {
  const seconds = Math.ceil(leftMs / SECOND_MS);
  const rest = String(seconds % 60).padStart(2, '0');
  return `${Math.floor(seconds / 60)}:${rest}`;
}

/** What a screen reader says: only at five minutes, at one minute, and at the end. */
export function minuteToTell(leftMs: number): string {
  if (leftMs <= 0) return 'The time is no longer kept.';
  if (leftMs <= MINUTE_MS) return 'Your time is kept for one more minute.';
  if (leftMs <= 5 * MINUTE_MS) return 'Your time is kept for five more minutes.';
  return '';
}
