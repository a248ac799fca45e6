/** Leads staff without a second step to setting one up; it can be put off while there is time. */

import type { ReactNode } from 'react';
import { serverDate } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { formatLongDate, localDate } from '@/lib/time';
import { daysLeft } from '../second-factor';

type StaffSetUpProps = {
  /** Until when it can wait; unknown where the service does not say. */
  until: Date | undefined;
  children?: ReactNode;
};

function When({ until }: { until: Date | undefined }) {
  const { timeZone } = usePracticeZone();
  if (!until) return null;
  const days = daysLeft(until, serverDate());
  const date = formatLongDate(localDate(until, timeZone));
  if (days === 0) return <p>Since {date} the practice's work cannot be done without it.</p>;
  return (
    <p className="numeric">
      You can go on as before until <strong>{date}</strong>
      {days === 1 ? ' (one day left).' : ` (${days} days left).`}
    </p>
  );
}

/** Why it is asked for, and until when it can wait. */
export function StaffSetUp({ until, children }: StaffSetUpProps) {
  return (
    <div className="flex flex-col gap-4">
      <p>
        You work with what clients tell the practice. A second step keeps it safe, even if your
        password gets into the wrong hands: a passkey of your phone or computer, or the code of an
        authenticator app.
      </p>
      <When until={until} />
      {children}
    </div>
  );
}
