import { type ReactNode, useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Spinner } from '@/components/ui/spinner';
import { usePractice } from '@/lib/practice';
import { PROVIDER_NAME } from '../checkout-window';
import type { LinkOutcome } from '../hooks/use-link-check';
import type { PaymentLink } from '../hooks/use-payment-link';
import { PaymentSupport } from './payment-support';

/** The words of the error catalogue for a booking that could not be made. */
export const BOOKING_FAILED = 'There was an error creating your booking. Please contact support.';

export type LinkPanelModel = {
  link: PaymentLink | undefined;
  linkError: unknown;
  retryLink: () => void;
  /** This page has opened the tab; a reload does not know of it. */
  opened: boolean;
  /** The browser refused to open the tab. */
  blocked: boolean;
  check: () => void;
  checking: boolean;
  outcome: LinkOutcome | undefined;
  checkError: unknown;
};

type LinkPanelProps = {
  model: LinkPanelModel;
  price: string;
  reference: string;
  /** The hold timer. */
  timer: ReactNode;
  /** The booking in short. */
  summary: ReactNode;
  /** Leads back to the choice of a time, where there is one. */
  onBack?: () => void;
};

function Where({ model, price }: { model: LinkPanelModel; price: string }) {
  const { opened, blocked, link } = model;
  const again = opened && !blocked;
  return (
    <Alert
      title={
        again
          ? 'A payment window has opened in a new tab'
          : 'Pay on the page of our payment provider'
      }
      action={
        link?.address ? (
          <Button
            href={link.address}
            target="_blank"
            rel="noopener"
            variant={again ? 'secondary' : 'primary'}
            size={again ? 'sm' : 'md'}
          >
            {again ? 'Open it again' : `Open the Payment Page (${price})`}
            <span className="sr-only"> (opens in a new tab)</span>
          </Button>
        ) : null
      }
    >
      {again
        ? `Pay ${price} there, then come back to this page.`
        : `It opens in a new tab. Pay ${price} there, then come back to this page.`}
      {blocked ? ' Your browser did not let us open it by ourselves.' : ''}
    </Alert>
  );
}

/** What the last press of the button found out. */
function Found({ model }: { model: LinkPanelModel }) {
  const { outcome, checkError } = model;
  const { refundDaysText } = usePractice();
  if (checkError) {
    return (
      <Alert tone="error" live title={BOOKING_FAILED}>
        We could not ask the payment provider just now. If you have paid, your money is safe: we
        keep asking, and your booking is confirmed as soon as the money is seen.
      </Alert>
    );
  }
  switch (outcome) {
    case 'paid':
      return (
        <p role="status" className="flex items-center gap-3">
          <Spinner /> Your payment has arrived. We are placing your booking…
        </p>
      );
    case 'returned':
      return (
        <Alert tone="error" live title={BOOKING_FAILED}>
          A payment reached us that does not match this booking. All of it goes back to your
          original payment method, within {refundDaysText}.
        </Alert>
      );
    case 'ended':
      return (
        <Alert tone="warn" live title="Payment was cancelled or expired">
          Nothing was charged. Open the payment page again to pay.
        </Alert>
      );
    case 'unpaid':
      return (
        <Alert tone="warn" live title="We have not seen your payment yet">
          Banks can take a moment. Finish the payment in the other tab, or press the button again in
          a minute. If you have paid, nothing is lost: we keep asking.
        </Alert>
      );
    default:
      return null;
  }
}

/** Scrolls to what was found: the button is always in sight, the message may not be. */
function FoundInSight({ model }: { model: LinkPanelModel }) {
  const ref = useRef<HTMLDivElement>(null);
  const news = model.checkError ?? model.outcome;
  useEffect(() => {
    if (news) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [news]);
  return (
    <div ref={ref} className="empty:hidden">
      <Found model={model} />
    </div>
  );
}

/** The panel of a payment that happens in another tab. */
export function LinkPanel(props: LinkPanelProps) {
  const { model, price, reference, timer, summary, onBack } = props;
  const { link, linkError, retryLink, check, checking } = model;
  return (
    <Card className="flex flex-col gap-6">
      {timer}
      {linkError && !link ? (
        <ErrorNotice error={linkError} onRetry={retryLink} />
      ) : (
        <Where model={model} price={price} />
      )}
      {summary}
      <FoundInSight model={model} />
      <Button
        block
        size="lg"
        busy={checking}
        busyText="Asking the payment provider…"
        onClick={check}
      >
        I've Completed Payment - Confirm Booking
      </Button>
      {onBack ? (
        <Button variant="quiet" size="sm" className="-mt-3 self-start" onClick={onBack}>
          Back to Calendar
        </Button>
      ) : null}
      <p className="text-sm text-ink-2">
        We never see or keep your card or UPI data. If {PROVIDER_NAME} adds a fee of its own to the
        price, that fee isn't refunded.
      </p>
      <PaymentSupport reference={reference} />
    </Card>
  );
}
