/** The form that joins the wait list: what fits, and what is wrong with it. */
import { useCallback, useState } from 'react';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { DayPart, Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { isDay } from '@/lib/instant';
import { readLine } from '@/lib/typed';
import { lineError } from '@/lib/typed-errors';
import { type FieldErrors, useFields } from '@/lib/use-fields';
import { addDays } from '../../shared/slots';
import { USUAL_NOTICE, WAIT_DAYS_MAX } from '../wish';
import { useJoinWaiting, type Wish } from './use-join-waiting';

const NAME_MAX = 100;

/** What the form begins with. */
export type JoinStart = {
  serviceId: string;
  practitionerId: string;
  inPerson: boolean;
  firstName: string;
  /** The practice's today, "2026-11-24". */
  today: string;
  /** The last date that makes sense. */
  untilDate: string;
  /** The booking whose time is to be earlier; empty for a new one. */
  earlierThan: string;
};

type Typed = { firstName: string; fromDate: string; untilDate: string; notice: string };

/** Where the service's words for a field stand in the form. */
const FIELDS: Record<string, keyof Typed> = {
  first_name: 'firstName',
  from_date: 'fromDate',
  until_date: 'untilDate',
  notice_minutes: 'notice',
};

function fieldOf(path: string): keyof Typed | undefined {
  const last = path.split('.').at(-1) ?? '';
  return FIELDS[last.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function dateError(date: string, from: string, until: string): string | undefined {
  if (!date) return undefined;
  if (!isDay(date)) return 'Please choose a date';
  if (date < from) return 'Please choose a later date';
  return date > until ? 'Please choose an earlier date' : undefined;
}

/** For an earlier time the dates are not asked for: they are those of the session. */
function validate(values: Typed, today: string, asksDates: boolean): FieldErrors<Typed> {
  const last = addDays(today, WAIT_DAYS_MAX);
  const found: FieldErrors<Typed> = {
    firstName: lineError(values.firstName, NAME_MAX, 'First name is required'),
    ...(asksDates && {
      fromDate: dateError(values.fromDate, today, last),
      untilDate: dateError(values.untilDate, values.fromDate || today, last),
    }),
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, error]) => error),
  ) as FieldErrors<Typed>;
}

/** What of the wish is pressed and not typed. */
type Pressed = Pick<JoinStart, 'practitionerId' | 'inPerson'> & {
  weekdays: number[];
  dayParts: DayPart[];
};

function wishOf({ today, ...start }: JoinStart, values: Typed, pressed: Pressed): Wish {
  const { practitionerId, inPerson, weekdays, dayParts } = pressed;
  return {
    serviceId: start.serviceId,
    practitionerId,
    mode: inPerson ? SessionMode.IN_PERSON : SessionMode.ONLINE,
    // From today on is from now on.
    fromDate: values.fromDate > today ? values.fromDate : '',
    untilDate: values.untilDate,
    weekdays,
    dayParts,
    noticeMinutes: Number(values.notice),
    earlierThanBookingId: start.earlierThan,
  };
}

export function useJoinForm(start: JoinStart, onJoined: (waiting: Waiting) => void) {
  const { today, practitionerId, inPerson } = start;
  const asksDates = start.earlierThan === '';
  const check = useCallback(
    (values: Typed) => validate(values, today, asksDates),
    [today, asksDates],
  );
  const fields = useFields<Typed>(
    {
      firstName: start.firstName,
      fromDate: today,
      untilDate: start.untilDate,
      notice: USUAL_NOTICE,
    },
    check,
  );
  const [pressed, setPressed] = useState<Pressed>({
    ...{ practitionerId, inPerson },
    ...{ weekdays: [], dayParts: [] },
  });
  const join = useJoinWaiting(onJoined);

  function submit(): void {
    if (join.isPending || !fields.check()) return;
    const firstName = readLine(fields.values.firstName, NAME_MAX).read ?? '';
    const wish = wishOf(start, fields.values, pressed);
    join.mutate(
      { wish, firstName },
      {
        onError: (error) => {
          const { field, message } = describeError(error);
          const named = fieldOf(field);
          if (named) fields.refuse({ [named]: message });
        },
      },
    );
  }

  const { error } = join;
  const isOfField = error !== null && fieldOf(describeError(error).field) !== undefined;
  const needsProof = error !== null && errorReason(error) === 'ADDRESS_NOT_PROVED';
  return {
    fields,
    pressed,
    press: (patch: Partial<Pressed>) => setPressed((before) => ({ ...before, ...patch })),
    submit,
    isPending: join.isPending,
    /** What stands beside no field. */
    error: isOfField || needsProof ? null : error,
    /** The service asks first for a proof that the account's address is the client's. */
    needsProof,
  };
}
