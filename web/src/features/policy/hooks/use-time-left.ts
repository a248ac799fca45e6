import { useServerNow } from '@/lib/use-server-now';

const SECOND_MS = 1000;

/** Milliseconds until a moment, updated each second, and 0 from then on. */
export function useTimeLeft(until: Date): number {
  return Math.max(0, until.getTime() - useServerNow(SECOND_MS));
}
