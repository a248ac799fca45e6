/** /book as a whole: what is chosen, who books, how far it has come, and what follows from that. */
import { useEffect, useState } from 'react';
import { chosenPractitioner } from '@/components/practitioner-choice';
import { toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { type AuthUser, useAuth } from '@/lib/auth';
import { usePackagesFor, usePracticeZone, useService } from '@/lib/practice';
import type { Zone } from '@/lib/time';
import { useLeaveWarning } from '@/lib/use-leave-warning';
import type { UrlMoves } from '@/lib/use-url-state';
import { isPlaced } from '../../shared/booking-state';
import { hasNotes } from '../../shared/draft';
import { useArrival } from '../../shared/hooks/use-arrival';
import { type BookingReading, useBooking } from '../../shared/hooks/use-booking';
import { type BookingDraft, useDraft } from '../../shared/hooks/use-draft';
import { useMailToast } from '../../shared/hooks/use-mail-toast';
import type { GivenConsent } from '../../shared/hooks/use-request-booking';
import { startsOfPackage } from '../../shared/package-dates';
import { type BookStep, bookStep } from '../book-step';
import type { BookStepId, BookUrl } from '../book-url';
import { validateDetails } from '../details-rules';
import { writeHeldAnywhere } from '../held-anywhere';
import { useWidgetReport } from './use-widget-report';

/** The address that says which step is shown. */
const NAMES: Record<BookStep, BookStepId | undefined> = {
  calendar: undefined,
  consent: 'calendar-terms',
  auth: 'auth',
  details: 'payment',
  payment: 'payment',
  confirmation: 'confirmation',
};

/** The steps before the booking: what is typed there is kept nowhere until the booking has it. */
const UNSAVED: readonly BookStep[] = ['calendar', 'consent', 'auth', 'details'];

/** Bookings that this page has announced while it is loaded. */
const SAID = new Set<string>();

/** A booking was confirmed while this page was waiting for it. */
function cheer(): void {
  writeHeldAnywhere('');
  toast({
    title: 'Follow-up Email Scheduled',
    description: 'After your session we ask you how it was.',
    beside: true,
  });
}

/** What the address names: a service, or a package of it, and the starts of all sessions. */
type NamedTimes = {
  zone: Zone;
  service: Service | undefined;
  offer: Package | undefined;
  /** Empty where one of them is missing. */
  starts: readonly string[];
  /** Empty for anyone. */
  practitionerId: string;
};

/** What the page asks of the client's consent, and tells it. */
export type BookConsent = {
  isPending: boolean;
  isGiven: boolean;
  /** What was signed on this page, for the booking to take. */
  signed: GivenConsent | undefined;
  unsaved: string;
  stored: () => void;
  refuse: (field: string, message: string) => boolean;
};

export type Book = NamedTimes & {
  moves: UrlMoves<BookUrl>;
  user: AuthUser | undefined;
  consent: BookConsent;
  draft: BookingDraft;
  reading: BookingReading;
  step: BookStep;
  /** It is not known yet who books, or whether a consent is in force. */
  asking: boolean;
  /** A code is being redeemed, whose answer says what comes next. */
  setRedeeming: (begun: boolean) => void;
};

function useNamedTimes({ serviceId, packageId, slot, slots, practitioner }: BookUrl): NamedTimes {
  const zone = usePracticeZone();
  const service = useService(serviceId);
  const offer = usePackagesFor(serviceId).find((one) => one.packageId === packageId);
  const single = slot && !packageId ? [slot] : [];
  const starts = offer ? startsOfPackage(slots, offer, zone) : single;
  const practitionerId = chosenPractitioner(service?.practitioners ?? [], practitioner);
  return { zone, service, offer, starts, practitionerId };
}

/** What follows from a booking that is read: it is announced, and reported to the widget. */
function useNews({ url }: UrlMoves<BookUrl>, booking: Booking | undefined, step: BookStep): void {
  const placedHere = isPlaced(booking) && url.step === 'payment';
  const arrived = useArrival(url.bookingId, placedHere, { said: SAID, cheer });
  useMailToast(step === 'confirmation' ? booking : undefined, arrived);
  // A booking that was read is one of this account.
  useWidgetReport(url.report, booking?.bookingId ?? '');
}

export function useBook(moves: UrlMoves<BookUrl>, consent: BookConsent): Book {
  const { url, replace } = moves;
  const { user, status } = useAuth();
  const named = useNamedTimes(url);
  const reading = useBooking(url.bookingId, user?.id);
  const draft = useDraft(user, validateDetails);
  const [redeeming, setRedeeming] = useState(false);

  const { service, offer, starts } = named;
  const { booking } = reading;
  const signedIn = user !== undefined && !redeeming;
  const offered = service !== undefined && (url.packageId === '' || offer !== undefined);
  const step = bookStep({ url, starts, offered, signedIn, booking, consented: consent.isGiven });
  useNews(moves, booking, step);
  const typed = consent.unsaved.trim() !== '' || hasNotes(draft.fields.values);
  useLeaveWarning(typed && url.bookingId === '' && UNSAVED.includes(step));

  const asking = status === 'unknown' || (consent.isPending && url.bookingId === '');
  const settled = !asking && (url.bookingId === '' || booking);
  const name = NAMES[step];
  useEffect(() => {
    // The visitor leaves the default view only by a choice.
    if (settled && name && url.step !== name) replace({ step: name });
  }, [settled, name, url.step, replace]);

  return { ...named, moves, user, consent, draft, reading, step, asking, setRedeeming };
}
