/** /book as a whole: what is chosen, who books, what was agreed to, and what follows from that. */
import { useEffect, useRef, useState } from 'react';
import { chosenPractitioner } from '@/components/practitioner-choice';
import { toast } from '@/components/ui/toast-store';
import { type BookStep, bookStep } from '@/features/booking/book-page/book-step';
import type { BookStepId, BookUrl } from '@/features/booking/book-page/book-url';
import { validateDetails } from '@/features/booking/book-page/details-rules';
import { writeHeldAnywhere } from '@/features/booking/book-page/held-anywhere';
import { useWidgetReport } from '@/features/booking/book-page/hooks/use-widget-report';
import { isPlaced } from '@/features/booking/shared/booking-state';
import { useArrival } from '@/features/booking/shared/hooks/use-arrival';
import { useBooking } from '@/features/booking/shared/hooks/use-booking';
import { useDraft } from '@/features/booking/shared/hooks/use-draft';
import { useMailToast } from '@/features/booking/shared/hooks/use-mail-toast';
import { startsOfPackage } from '@/features/booking/shared/package-dates';
import { type SignedConsent, useConsentForm } from '@/features/consent/hooks/use-consent-form';
import { useOwnConsent } from '@/features/consent/hooks/use-own-consent';
import { useAuth } from '@/lib/auth';
import { usePackagesFor, usePracticeZone, useService } from '@/lib/practice';
import { useLeaveWarning } from '@/lib/use-leave-warning';
import type { UrlMoves } from '@/lib/use-url-state';

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

/** A booking was confirmed while this page was waiting for it. */
function cheer(): void {
  writeHeldAnywhere('');
  toast({
    title: 'Follow-up Email Scheduled',
    description: 'After your session we ask you how it was.',
    beside: true,
  });
}

/** What was signed belongs to one account, and no other one gives it. */
function useOwnSignature(userId: string | undefined, forget: () => void): void {
  const signer = useRef(userId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account.
  useEffect(() => {
    const before = signer.current;
    signer.current = userId;
    if (before !== undefined && before !== userId) forget();
  }, [userId]);
}

/** What the address names: a service, or a package of it, and the starts of all sessions. */
function useNamed({ serviceId, packageId, slot, slots }: BookUrl) {
  const zone = usePracticeZone();
  const service = useService(serviceId);
  const offer = usePackagesFor(serviceId).find((one) => one.packageId === packageId);
  const single = slot && !packageId ? [slot] : [];
  const starts = offer ? startsOfPackage(slots, offer, zone) : single;
  return { zone, service, offer, starts };
}

export function useBook(moves: UrlMoves<BookUrl>) {
  const { url, replace } = moves;
  const auth = useAuth();
  const { user } = auth;
  const { zone, service, offer, starts } = useNamed(url);
  const practitionerId = chosenPractitioner(service?.practitioners ?? [], url.practitioner);
  const reading = useBooking(url.bookingId, user?.id);
  const { booking } = reading;
  const own = useOwnConsent(user?.id);
  const consentForm = useConsentForm(user);
  const draft = useDraft(user, validateDetails);
  const [signed, setSigned] = useState<SignedConsent>();
  /** A code is being redeemed, whose answer says what comes next. */
  const [redeeming, setRedeeming] = useState(false);

  const consented = own.data?.current === true || signed !== undefined;
  const signedIn = user !== undefined && !redeeming;
  const offered = service !== undefined && (url.packageId === '' || offer !== undefined);
  const step = bookStep({ url, starts, offered, signedIn, booking, consented });
  const placed = isPlaced(booking);
  const arrived = useArrival(url.bookingId, placed && url.step === 'payment', cheer);
  useMailToast(step === 'confirmation' ? booking : undefined, arrived);
  // A booking that was read is one of this account.
  useWidgetReport(url.report, booking?.bookingId ?? '');
  useOwnSignature(user?.id, () => {
    setSigned(undefined);
    consentForm.forget();
  });
  // A consent that the server has makes the signature on this page superfluous.
  const current = own.data?.current === true;
  useEffect(() => {
    if (current) setSigned(undefined);
  }, [current]);
  const signature = current ? '' : consentForm.fields.values.signature;
  const typed = `${signature}${draft.fields.values.notes}`.trim() !== '';
  useLeaveWarning(typed && url.bookingId === '' && UNSAVED.includes(step));

  const asking = user !== undefined && own.isPending && url.bookingId === '';
  const settled = auth.status !== 'unknown' && !asking && (url.bookingId === '' || booking);
  const name = NAMES[step];
  useEffect(() => {
    // The visitor leaves the default view only by a choice.
    if (settled && name && url.step !== name) replace({ step: name });
  }, [settled, name, url.step, replace]);

  return {
    auth,
    user,
    moves,
    zone,
    service,
    offer,
    starts,
    practitionerId,
    reading,
    booking,
    own,
    consentForm,
    draft,
    signed,
    setSigned,
    setRedeeming,
    step,
    asking: auth.status === 'unknown' || asking,
  };
}

export type Book = ReturnType<typeof useBook>;
