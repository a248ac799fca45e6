import { useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { isFocusLost } from '../focus-lost';
import { endedTitle, refusedWords, startOf } from '../move';
import { OWN_SESSIONS, ownBookingPath } from '../own-booking';
import { shortTime } from '../refund-words';
import { HOW_OFFERED } from '../wish';

/** What became of what a client wanted, or of a time that was offered. */
export type Told =
  | { name: 'joined' | 'left' | 'declined'; waiting: Waiting }
  | { name: 'ended' | 'over'; startsAt: Date | undefined }
  | { name: 'moved'; after: Booking }
  | { name: 'refused'; reason: string; startsAt: Date | undefined };

const STAYS = 'You are still on the wait list. We write to you when another time is free.';

function Moved({ after }: { after: Booking }) {
  const zone = usePracticeZone();
  const at = startOf(after, 1);
  return (
    <Alert
      tone="ok"
      live
      title={at ? `Moved to ${shortTime(at, zone)}` : 'Moved'}
      action={
        <Button to={ownBookingPath(after)} variant="secondary" size="sm">
          See the session
        </Button>
      }
    >
      Everything else stays. We write the new time to your e-mail address.
    </Alert>
  );
}

function Ended({ startsAt }: { startsAt: Date | undefined }) {
  const zone = usePracticeZone();
  const what = startsAt ? shortTime(startsAt, zone) : 'That time';
  return (
    <Alert tone="warn" live title={`${what} is not held for you any more`}>
      {STAYS}
    </Alert>
  );
}

/** The entry went with the offer. */
function Over({ startsAt }: { startsAt: Date | undefined }) {
  const zone = usePracticeZone();
  const what = startsAt ? shortTime(startsAt, zone) : 'That time';
  return (
    <Alert
      tone="warn"
      live
      title={`${what} is not held for you any more`}
      action={
        <Button to={OWN_SESSIONS} variant="secondary" size="sm">
          Your sessions
        </Button>
      }
    >
      If you have just taken it, it stands with your sessions. If it is not there, join the list
      again.
    </Alert>
  );
}

/** Why a session was not moved to an offered time. */
function Refused({ reason, startsAt }: { reason: string; startsAt: Date | undefined }) {
  const zone = usePracticeZone();
  if (reason === 'CHANGED_SINCE' || reason === 'BOOKING_NOT_FOUND') {
    return (
      <Alert tone="warn" live title="Your session has changed meanwhile">
        Nothing was moved. Please look at your session first.
      </Alert>
    );
  }
  if (endedTitle(reason)) {
    return (
      <Alert tone="warn" live title={endedTitle(reason)}>
        Nothing was moved: your session stays as it is.
      </Alert>
    );
  }
  if (reason !== 'OVERLAPS_OWN_SESSION') return <Ended startsAt={startsAt} />;
  const when = startsAt ? shortTime(startsAt, zone) : 'that time';
  const { title, text } = refusedWords(reason, when, '');
  return (
    <Alert tone="warn" live title={title}>
      {text}
    </Alert>
  );
}

function Words({ told }: { told: Told }) {
  switch (told.name) {
    case 'joined':
      return (
        <Alert tone="ok" live title={`You are on the wait list for ${told.waiting.serviceTitle}`}>
          {HOW_OFFERED}
        </Alert>
      );
    case 'left':
      return (
        <Alert tone="ok" live title={`You left the wait list for ${told.waiting.serviceTitle}`} />
      );
    case 'declined':
      return (
        <Alert tone="ok" live title="The time goes to the next person">
          {STAYS}
        </Alert>
      );
    case 'moved':
      return <Moved after={told.after} />;
    case 'refused':
      return <Refused {...told} />;
    case 'over':
      return <Over {...told} />;
    default:
      return <Ended {...told} />;
  }
}

/** It takes the focus of the button that was pressed; what ended by itself takes it from nothing. */
export function WaitingNotice({ told }: { told: Told | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isByItself = told?.name === 'ended' || told?.name === 'over';
    if (told && (!isByItself || isFocusLost())) frame.current?.focus();
  }, [told]);
  return (
    <div ref={frame} tabIndex={-1} className="scroll-mt-24 empty:hidden">
      {told ? <Words told={told} /> : null}
    </div>
  );
}
