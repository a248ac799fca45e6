/** /desk/find: one box. What is typed stays in the page: a name stands in no address. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { TextField } from '@/components/ui/text-field';
import type { StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { serverDate } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatLongDate, localDate, toDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { DESK } from '../hooks/desk-keys';
import { useBookingStaff } from '../hooks/use-desk-clients';
import { useMember } from '../member';
import { dayAfter } from '../model/day';
import { foundIn, isEnough, referenceIn } from '../model/find';
import { clientName, stateWord } from '../model/staff-booking';
import { timeWords } from '../model/time-words';
import { StaleNotice } from './stale-notice';

/** Where names, numbers and addresses are looked for: as many days as one call gives. */
const BACK_DAYS = 31;
const ALL_DAYS = 92;

/** Of what was typed last; nothing until Find is pressed. */
function useFound(typed: string) {
  const { userId } = useMember();
  const { timeZone } = usePracticeZone();
  const staff = useBookingStaff();
  return useQuery({
    queryKey: [DESK, userId, 'find', typed],
    enabled: typed !== '',
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const reference = referenceIn(typed);
      if (reference) {
        const { bookings } = await staff.findBookings({ reference }, { signal });
        if (bookings.length > 0) return { bookings, more: false, fromDate: '' };
      }
      const fromDate = dayAfter(localDate(serverDate(), timeZone), -BACK_DAYS);
      const asked = { fromDate, days: ALL_DAYS };
      const { bookings, more } = await staff.listBookings(asked, { signal });
      return { bookings: foundIn(bookings, typed), more, fromDate };
    },
  });
}

/** How far it was looked, where no reference was found. */
function reachWords(fromDate: string): string {
  const last = dayAfter(fromDate, ALL_DAYS - 1);
  return `Looked at the sessions from ${formatLongDate(fromDate)} to ${formatLongDate(last)}.`;
}

function Found({ staff }: { staff: StaffBooking }) {
  const zone = usePracticeZone();
  const { booking } = staff;
  const startsAt = booking?.sessions[0]?.startsAt;
  if (!booking) return null;
  const at = startsAt && toDate(startsAt);
  return (
    <AppLink
      to={`/desk/bookings/${booking.bookingId}`}
      data-row=""
      className="flex flex-col gap-0.5 rounded-card border border-hairline bg-surface p-4 text-ink no-underline shadow-soft hover:border-brand"
    >
      <span className="font-semibold" dir="auto">
        {clientName(booking)}
      </span>
      <span className="text-sm text-ink-2 numeric">
        {at ? `${timeWords(at, zone)} · ` : ''}
        {booking.serviceTitle} · {stateWord(booking)} · {bookingReference(booking.bookingId)}
      </span>
    </AppLink>
  );
}

export function FindScreen() {
  const [written, setWritten] = useState('');
  const [typed, setTyped] = useState('');
  const [short, setShort] = useState(false);
  const { data, error, isFetching, refetch } = useFound(typed);
  const field = useRef<HTMLInputElement>(null);
  const { state } = useLocation();
  usePageTitle('Find');

  // A key led here, and the next ones are what is looked for.
  useEffect(() => {
    if (state?.toField) field.current?.focus();
  }, [state]);

  function find(event: FormEvent) {
    event.preventDefault();
    const enough = isEnough(written);
    setShort(!enough);
    const asked = written.trim();
    // The same once more is looked for anew.
    if (enough && asked === typed) void refetch();
    else if (enough) setTyped(asked);
  }

  return (
    <div className="flex max-w-4xl flex-col gap-5">
      <PageHeading className="[&_h1]:text-h2">Find</PageHeading>
      <form className="flex flex-col gap-3" onSubmit={find}>
        <TextField
          ref={field}
          label="Name, phone, email or reference"
          name="find"
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={written}
          error={short ? 'Two letters or four digits at least' : undefined}
          hint={`A reference such as DD4CA70C finds any booking; the rest looks at the last ${BACK_DAYS} and the next ${ALL_DAYS - BACK_DAYS} days.`}
          onChange={(event) => setWritten(event.target.value)}
        />
        <Button type="submit" busy={isFetching && typed !== ''} className="self-start">
          Find
        </Button>
      </form>
      <StaleNotice error={error} readAt={0} what="The bookings" onRetry={() => void refetch()} />
      {isFetching && !data ? <Skeleton className="h-20 w-full rounded-card" /> : null}
      <div role="status" className="empty:hidden">
        {data?.fromDate ? <p className="text-sm text-ink-2">{reachWords(data.fromDate)}</p> : null}
        {data?.bookings.length === 0 ? (
          <p>Nothing was found. Try the reference that stands in each of our mails.</p>
        ) : null}
        {data?.more ? <p className="text-sm text-ink-2">Not all days could be looked at.</p> : null}
      </div>
      <ul className="flex flex-col gap-2.5">
        {data?.bookings.map((staff) => (
          <li key={staff.booking?.bookingId}>
            <Found staff={staff} />
          </li>
        ))}
      </ul>
    </div>
  );
}
