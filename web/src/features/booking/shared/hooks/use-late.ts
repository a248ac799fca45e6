/** Whether a start lies inside the cancellation limit, and whether the customer agreed to that. */
import { useCallback, useState } from 'react';
import type { CancellationPolicy } from '@/gen/common/v1/cancellation_pb';
import { isLate } from '@/lib/cancellation';
import { toInstant } from '@/lib/instant';
import { usePersonGone } from '@/lib/personal-state';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { useServerNow } from '@/lib/use-server-now';
import { readLateConsents, startsIn, writeLateConsents } from '../late-booking';

export type LateConsents = {
  has: (instant: string) => boolean;
  set: (instant: string, agreed: boolean) => void;
};

/** Consents of one customer by start: in memory through all steps, and kept for a reload. */
export function useLateConsents(userId: string | undefined): LateConsents {
  const [given, setGiven] = useState(readLateConsents);
  usePersonGone(useCallback(() => setGiven([]), []));
  const markOf = (instant: string) => `${userId ?? ''} ${instant}`;
  return {
    has: (instant) => given.includes(markOf(instant)),
    set: (instant, agreed) => {
      const others = given.filter((mark) => mark !== markOf(instant));
      const next = agreed ? [...others, markOf(instant)] : others;
      setGiven(next);
      writeLateConsents(next);
    },
  };
}

export type LateTime = {
  /** "This session starts in 10 hours" */
  title: string;
  agreed: boolean;
  agree: (agreed: boolean) => void;
};

/** What has to be agreed to before paying for a start; nothing while cancelling gives something back. */
export function useLateTime(
  at: Date | undefined,
  consents: LateConsents,
  /** Of the booking or the package; else the practice's of today. */
  policy?: CancellationPolicy,
  isPackage = false,
): LateTime | undefined {
  const { cancellationPolicy } = usePractice();
  const zone = usePracticeZone();
  const now = useServerNow();
  if (!at || !isLate(at, policy ?? cancellationPolicy, now)) return undefined;
  const instant = toInstant(at);
  return {
    title: startsIn(at, now, isPackage ? { zone } : undefined),
    agreed: consents.has(instant),
    agree: (agreed) => consents.set(instant, agreed),
  };
}
