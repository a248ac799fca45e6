import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Skeleton } from '@/components/ui/skeleton';
import { sessionTimes } from '@/features/booking/shared/booking-state';
import { AgreementBox } from '@/features/booking/shared/components/agreement-box';
import { LateNotice } from '@/features/booking/shared/components/late-notice';
import { useLateConsents, useLateTime } from '@/features/booking/shared/hooks/use-late';
import {
  askForTick,
  LATE_FIELD,
  LATE_TICK_MISSING,
  TICK_MISSING,
} from '@/features/booking/shared/late-booking';
import { DeclarationCard } from '@/features/consent/components/consent-screen';
import { ConsentTermsText } from '@/features/consent/components/consent-terms';
import { type ConsentForm, useConsentForm } from '@/features/consent/hooks/use-consent-form';
import { useConsentTerms } from '@/features/consent/hooks/use-consent-terms';
import { useAcceptTerms } from '@/features/payments/hooks/use-payment-page';
import type { ConsentInit } from '@/features/payments/page-consent';
import { openPaymentTab } from '@/features/payments/payment-tab';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import type { ConsentTerms } from '@/gen/catalogue/v1/catalogue_service_pb';
import { noticeHours } from '@/lib/cancellation';
import type { ShownTexts } from '@/lib/legal-text';
import { useShownTexts } from '@/lib/practice';
import { ConsentCodeCard, isOfCode, useConsentCode } from './consent-code';
import { usePayNow } from './use-pay-now';

type PayAgreementProps = {
  pageKey: string;
  page: PaymentPage;
  booking: Booking;
  price: string;
  /** Says whether the browser refused the tab of the payment. */
  onOpened: (blocked: boolean) => void;
};

function Consent({ form, terms, id }: { form: ConsentForm; terms: ConsentTerms; id: string }) {
  return (
    <>
      <Card className="flex flex-col gap-5">
        <h2 className="text-h3">Consent to Online Session</h2>
        <ConsentTermsText terms={terms} />
      </Card>
      <DeclarationCard form={form} terms={terms} id={id} />
    </>
  );
}

/** A consent as it was signed, with the code of the client's mail where one is needed. */
type Signed = { consent: ConsentInit; code: string };

/** Accepts the terms, with a consent that was signed, and opens the payment in a tab of its own. */
function useAgreedPayment(
  pageKey: string,
  shown: ShownTexts,
  onOpened: PayAgreementProps['onOpened'],
) {
  const queryClient = useQueryClient();
  const accept = useAcceptTerms(pageKey);
  const payNow = usePayNow(pageKey);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  /** Says whether the payment was opened; `onAccepted` is called before. */
  async function pay(signed: Signed | undefined, onAccepted: () => void): Promise<boolean> {
    const tab = openPaymentTab();
    setBusy(true);
    setError(undefined);
    try {
      await accept(shown, signed);
      onAccepted();
      await payNow(tab);
      onOpened(!tab);
      return true;
    } catch (failure) {
      tab?.close();
      setError(failure);
      // The terms may have changed, or the time may be gone.
      void queryClient.invalidateQueries({ queryKey: ['payment-page', pageKey] });
      return false;
    } finally {
      setBusy(false);
    }
  }

  return { pay, busy, error };
}

/** The terms and, for an online session, the consent: what comes before the one button that pays. */
export function PayAgreement({ pageKey, page, booking, price, onOpened }: PayAgreementProps) {
  const id = useId();
  const shown = { ...useShownTexts()(''), noticeHours: noticeHours(booking.cancellationPolicy) };
  const { pay, busy, error } = useAgreedPayment(pageKey, shown, onOpened);
  const consentForm = useConsentForm(undefined);
  const consentTerms = useConsentTerms();
  const code = useConsentCode(pageKey);
  const [agreed, setAgreed] = useState(false);
  const [asked, setAsked] = useState(false);
  const late = useLateTime(
    sessionTimes(booking)?.startsAt,
    useLateConsents(undefined),
    booking.cancellationPolicy,
    page.package !== undefined,
  );
  const terms = consentTerms.data;

  if (page.needsConsent && !terms) {
    return consentTerms.error ? (
      <ErrorNotice error={consentTerms.error} onRetry={() => void consentTerms.refetch()} />
    ) : (
      <Skeleton className="h-96 w-full rounded-card" />
    );
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (!agreed) return askForTick('agreement', TICK_MISSING);
    if (late && !late.agreed) return askForTick(LATE_FIELD, LATE_TICK_MISSING);
    const consent = page.needsConsent && terms ? consentForm.sign(terms.version) : undefined;
    if (page.needsConsent && !consent) return undefined;
    const signed = consent && {
      consent: { ...consent, acceptedDeclaration: true },
      code: code.code ?? '',
    };
    if (!(await pay(signed, consentForm.forget))) void consentTerms.refetch();
    return undefined;
  }

  const lacksCode = page.needsConsentCode && !code.code;
  const waits = page.needsConsent && (consentForm.needed.length > 0 || lacksCode);
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-6">
      {page.needsConsent && terms ? <Consent form={consentForm} terms={terms} id={id} /> : null}
      {page.needsConsentCode ? <ConsentCodeCard code={code} refused={error} /> : null}
      {late ? <LateNotice late={late} told /> : null}
      <AgreementBox
        agreed={agreed}
        onChange={setAgreed}
        error={asked && !agreed ? TICK_MISSING : undefined}
        free={false}
        policy={booking.cancellationPolicy}
        late={late}
        lateError={asked && late && !late.agreed ? TICK_MISSING : undefined}
      />
      {error && !isOfCode(error) ? <ErrorNotice error={error} /> : null}
      <Button
        block
        size="lg"
        type="submit"
        busy={busy}
        busyText="Opening the payment page…"
        disabled={waits}
      >
        Agree & Pay {price}
      </Button>
      <p className="text-sm text-ink-2">The payment page opens in a new tab.</p>
    </form>
  );
}
