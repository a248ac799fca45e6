/** /desk/new: books for a client on the phone: what, when, who, and the page on which it is paid. */
import { type FormEvent, useState } from 'react';
import { useLocation } from 'react-router';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { ContactFields } from '@/components/ui/contact-fields';
import { PageHeading } from '@/components/ui/page-heading';
import { RadioGroup } from '@/components/ui/radio-group';
import { SelectField } from '@/components/ui/select-field';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { RequestPhoneBookingResponse } from '@/gen/booking/v1/booking_staff_service_pb';
import { serverDate } from '@/lib/clock';
import { validDate, validInstant } from '@/lib/instant';
import { formatPrice } from '@/lib/money';
import { usePracticeZone, useService, useServices } from '@/lib/practice';
import { formatDateTime, localDate } from '@/lib/time';
import { useFields } from '@/lib/use-fields';
import { usePageTitle } from '@/lib/use-page-title';
import { pageAddress } from '../hooks/use-held';
import { usePhoneBooking } from '../hooks/use-phone-booking';
import { SLOT_DAYS, useSlots } from '../hooks/use-slots';
import { dayAfter, sessionRows } from '../model/day';
import { HOLDS, NO_CALLER, validateCaller } from '../model/new-booking';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';
import { PageAddress } from './page-address';
import { StaleNotice } from './stale-notice';
import { TimeChoice } from './time-choice';

type Wish = {
  serviceId: string;
  practitionerId: string;
  mode: string;
  /** From which date free times are shown. */
  fromDate: string;
  date: string;
  start: string;
  hold: string;
  sendMail: boolean;
};

const MODES = [
  { value: String(SessionMode.ONLINE), label: 'Online' },
  { value: String(SessionMode.IN_PERSON), label: 'In person' },
];

type ChangeProps = { wish: Wish; change: (patch: Partial<Wish>) => void };

function What({ wish, change }: ChangeProps) {
  const services = useServices();
  const people = useService(wish.serviceId)?.practitioners ?? [];
  const none = { date: '', start: '' };
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label="Service"
        name="service"
        value={wish.serviceId}
        options={services.map(({ serviceId, title, price }) => ({
          value: serviceId,
          label: `${title}, ${formatPrice(price)}`,
        }))}
        onChange={(event) => change({ serviceId: event.target.value, practitionerId: '', ...none })}
      />
      {people.length > 1 ? (
        <RadioGroup
          legend="With"
          name="practitioner"
          options={[
            { value: '', label: 'Anyone who is free' },
            ...people.map((one) => ({ value: one.practitionerId, label: one.name })),
          ]}
          value={wish.practitionerId}
          onChange={(practitionerId) => change({ practitionerId, ...none })}
        />
      ) : null}
      <RadioGroup
        legend="How it is held"
        name="mode"
        options={MODES}
        value={wish.mode}
        onChange={(mode) => change({ mode })}
      />
    </div>
  );
}

function Booked({ answer, onAnother }: BookedProps) {
  const zone = usePracticeZone();
  const [row] = answer.booking ? sessionRows([answer.booking]) : [];
  if (!row) return null;
  return (
    <Card className="flex flex-col gap-4 p-5">
      <PageHeading className="[&_h1]:text-h2">The time is held</PageHeading>
      <p>
        <span dir="auto">{clientName(row.booking)}</span>,{' '}
        <span className="numeric">{formatDateTime(row.startsAt, zone)}</span>. It is confirmed once
        it is agreed to and paid.
      </p>
      <PageAddress row={row} address={pageAddress(answer.pageKey)} />
      <div className="flex flex-wrap gap-3">
        <Button size="sm" to={`/desk/bookings/${row.booking.bookingId}`}>
          Open the booking
        </Button>
        <Button size="sm" variant="secondary" onClick={onAnother}>
          Book another
        </Button>
      </div>
    </Card>
  );
}

type BookedProps = { answer: RequestPhoneBookingResponse; onAnother: () => void };

/** The service, time and day that the address names. */
function useFirstWish(): Wish {
  const query = new URLSearchParams(useLocation().search);
  const { timeZone } = usePracticeZone();
  const services = useServices();
  const start = validInstant(query.get('start') ?? '');
  const today = localDate(serverDate(), timeZone);
  const named = validDate(query.get('date') ?? '') || today;
  const date = start ? localDate(new Date(start), timeZone) : named;
  const isPast = date < today;
  const asked = query.get('service');
  const service = services.find(({ serviceId }) => serviceId === asked) ?? services[0];
  return {
    serviceId: service?.serviceId ?? '',
    practitionerId: '',
    mode: String(SessionMode.ONLINE),
    fromDate: isPast ? today : date,
    date,
    start,
    hold: String(HOLDS[1]?.minutes ?? 0),
    sendMail: true,
  };
}

/** The start is chosen only while it is among those that are offered. */
function offeredStart({ start }: Wish, days: ReturnType<typeof useSlots>['data']): string {
  const all = days?.flatMap(({ parts }) => parts.flatMap(({ times }) => times)) ?? [];
  const at = start ? new Date(start).getTime() : 0;
  return all.some(({ startsAt }) => startsAt.getTime() === at) ? start : '';
}

function Form({ onBooked }: { onBooked: (answer: RequestPhoneBookingResponse) => void }) {
  const first = useFirstWish();
  const [wish, setWish] = useState(first);
  const [missing, setMissing] = useState(false);
  const fields = useFields(NO_CALLER, validateCaller);
  const { serviceId, practitionerId, fromDate } = wish;
  const slots = useSlots({ serviceId, practitionerId, fromDate });
  const booking = usePhoneBooking(onBooked, () => void slots.refetch());
  const start = offeredStart(wish, slots.data);
  const change = (patch: Partial<Wish>) => setWish((before) => ({ ...before, ...patch }));

  function send(event: FormEvent) {
    event.preventDefault();
    setMissing(start === '');
    if (!fields.check() || start === '' || booking.busy) return;
    const { mode, hold, sendMail } = wish;
    const asked = { serviceId, practitionerId, mode: Number(mode), holdMinutes: Number(hold) };
    booking.run({ ...asked, start, sendMail, caller: fields.values });
  }

  return (
    <form noValidate className="flex max-w-4xl flex-col gap-6" onSubmit={send}>
      <PageHeading
        className="[&_h1]:text-h2"
        lead="The client agrees and pays on a page of their own."
      >
        Book for a client
      </PageHeading>
      <What wish={wish} change={change} />
      <StaleNotice
        error={slots.error}
        readAt={slots.dataUpdatedAt}
        what="The free times"
        onRetry={() => void slots.refetch()}
      />
      <TimeChoice
        days={slots.data}
        date={wish.date}
        onDate={(date) => change({ date, start: '' })}
        start={start}
        onStart={(chosen) => change({ start: chosen })}
        onLater={() => change({ fromDate: dayAfter(fromDate, SLOT_DAYS), date: '', start: '' })}
      />
      {missing && start === '' ? (
        <p role="alert" className="text-sm font-semibold text-err">
          Choose a time first.
        </p>
      ) : null}
      <ContactFields fields={fields} phoneOptional />
      <RadioGroup
        legend="How long the time is kept"
        name="hold"
        options={HOLDS.map(({ minutes, label }) => ({ value: String(minutes), label }))}
        value={wish.hold}
        onChange={(hold) => change({ hold })}
      />
      <Checkbox
        label="Mail the page to the client"
        name="sendMail"
        checked={wish.sendMail}
        onChange={(event) => change({ sendMail: event.target.checked })}
      />
      <CommandNotice
        error={booking.error}
        notSure={booking.notSure}
        onCheck={() => {
          booking.reset();
          void slots.refetch();
        }}
      />
      <Button type="submit" size="lg" busy={booking.busy}>
        Hold the time
      </Button>
    </form>
  );
}

export function NewScreen() {
  const [answer, setAnswer] = useState<RequestPhoneBookingResponse>();
  usePageTitle('Book for a client');
  if (answer) return <Booked answer={answer} onAnother={() => setAnswer(undefined)} />;
  return <Form onBooked={setAnswer} />;
}
