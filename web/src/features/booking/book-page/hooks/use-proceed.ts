/** "Proceed to Payment": the time is held with the consent, and the payment opens in its tab. */
import { useEffect, useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { describeError } from '@/lib/errors';
import { formatPrice } from '@/lib/money';
import { isLive } from '../../shared/booking-state';
import { contactField } from '../../shared/contact-rules';
import { writeFlowKeys } from '../../shared/flow-keys';
import type { BookingDraft } from '../../shared/hooks/use-draft';
import { useHeld } from '../../shared/hooks/use-held';
import {
  isOfSameTimes,
  useRequestBooking,
  type Wish,
} from '../../shared/hooks/use-request-booking';
import { isTimeGone, type RefusedTimes } from '../../shared/refused-times';
import { writeHeldAnywhere } from '../held-anywhere';
import { scheduledEventOf, writeScheduledEvent } from '../scheduled-event';
import type { Book } from './use-book';

/** How the payment is opened: a tab by the press itself, and the address that it is led to. */
export type OpensPayment = {
  openTab: () => PaymentTab | undefined;
  openLink: (bookingId: string) => Promise<{ link: { address: string }; booking?: Booking }>;
};

type PaymentTab = { go: (address: string) => void; close: () => void };

export type Asked = {
  book: Book;
  payment: OpensPayment;
  onLost: (lost: RefusedTimes) => void;
  /** The booking is held and its payment opened; whether the browser refused the tab. */
  onOpened: (blocked: boolean) => void;
};

/** Shows a refusal where it is corrected; false for one that has no field. */
function useRefusal({ book, onLost }: Asked) {
  const { moves, starts, draft, consent } = book;
  return function refused(error: unknown): boolean {
    const { reason, field, message } = describeError(error);
    if (isTimeGone(reason)) {
      const scheduled = scheduledEventOf(moves.url.serviceId, moves.url.slot) !== '';
      onLost({ starts, reason, ...(scheduled && { scheduled: message }) });
      writeScheduledEvent(null);
      // The dates of a package stay, but for those that are gone.
      moves.push({ slot: '', step: undefined, returned: false });
      return true;
    }
    if (consent.refuse(field, message)) {
      moves.push({ step: 'calendar-terms' });
      return true;
    }
    const wrong = contactField(field);
    if (wrong) draft.fields.refuse({ [wrong]: message });
    return wrong !== undefined;
  };
}

/** Notes are in no storage of this browser: after a reload they come from the server, which has them. */
function useKeptNotes({ fields }: BookingDraft, held: Booking | undefined): void {
  const { replace } = fields;
  const notes = held && isLive(held) ? (held.contact?.notes ?? '') : '';
  useEffect(() => {
    if (notes) replace((typed) => ({ ...typed, notes: typed.notes || notes }));
  }, [notes, replace]);
}

export function useProceed(asked: Asked) {
  const { book, payment, onOpened } = asked;
  const { moves, draft, user, reading } = book;
  const { service, offer, practitionerId, starts } = book;
  const what = { packageId: offer?.packageId ?? '', instants: starts };
  const held = useHeld(user?.id).booking;
  useKeptNotes(draft, held);
  const request = useRequestBooking();
  const refused = useRefusal(asked);
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  /** Other times, or another practitioner, that this tab holds: they are given back. */
  function otherHold(): Booking | undefined {
    if (!held || !isLive(held)) return undefined;
    const other = practitionerId !== '' && held.practitionerId !== practitionerId;
    return other || !isOfSameTimes(held, what) ? held : undefined;
  }

  async function hold(): Promise<Booking> {
    const { serviceId } = moves.url;
    const contact = draft.fields.values;
    const { signed } = book.consent;
    const consent = signed && { ...signed };
    const whose = { serviceId, practitionerId, inPerson: false };
    const scheduledEventUri = scheduledEventOf(serviceId, moves.url.slot);
    const wish: Wish = { ...what, ...whose, contact, consent, scheduledEventUri };
    const booking = await request.mutateAsync({ wish, held: otherHold() });
    // From here on the server keeps notes and signature.
    book.consent.stored();
    writeHeldAnywhere(booking.bookingId);
    return booking;
  }

  /** Has to be called by a press itself, which alone may open the tab; what it shows follows. */
  async function run(): Promise<void> {
    const tab = payment.openTab();
    setPending(true);
    setError(undefined);
    try {
      if (service) writeFlowKeys(service, formatPrice((offer ?? service).price), starts[0]);
      const booking = await hold();
      reading.learn(booking);
      const { link, booking: opened } = await payment.openLink(booking.bookingId).catch((why) => {
        // The time is held; the next step makes the link, and says what is wrong with it.
        tab?.close();
        moves.push({ step: 'payment', bookingId: booking.bookingId });
        throw why;
      });
      if (opened) reading.learn(opened);
      if (link.address) tab?.go(link.address);
      else tab?.close();
      onOpened(tab === undefined);
      moves.push({ step: 'payment', bookingId: booking.bookingId });
    } catch (why) {
      tab?.close();
      if (!refused(why)) setError(why);
    } finally {
      setPending(false);
    }
  }

  return { run, isPending, error };
}
