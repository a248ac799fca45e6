import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Spinner } from '@/components/ui/spinner';
import { PROVIDER_NAME } from '../checkout-window';
import type { PaymentPanelModel } from '../hooks/use-payment-panel';
import type { PanelPhase } from '../panel-state';
import { CANCELLED, orderFailedTitle, RETRY_ANYTIME } from '../payment-messages';

const PROGRESS: Partial<Record<PanelPhase, string>> = {
  'creating-order': 'Creating your order…',
  'loading-script': 'Loading the payment window…',
  opening: 'Opening the payment window…',
  open: 'The payment window is open. Finish there, or close it to come back.',
  answered: 'Confirming your payment…',
};

function Progress({ phase }: { phase: PanelPhase }) {
  const words = PROGRESS[phase];
  return (
    <p role="status" className="flex min-h-7 items-center gap-3 text-ink-2">
      {words ? (
        <>
          <Spinner /> {words}
        </>
      ) : null}
      {phase === 'ready' ? `You'll pay securely in a ${PROVIDER_NAME} window.` : null}
    </p>
  );
}

/** Said once by the toast that is only heard. */
function Dismissed({ model }: { model: PaymentPanelModel }) {
  const { phase, dismissed, declined } = model.state;
  if (phase !== 'ready' || !dismissed || declined) return null;
  return (
    <p>
      <strong>{CANCELLED}.</strong> {RETRY_ANYTIME} Your time is still kept.
    </p>
  );
}

function Failure({ model }: { model: PaymentPanelModel }) {
  const { phase, error } = model.state;
  if (!error) return null;
  if (phase === 'failed') {
    return <ErrorNotice error={error} title={orderFailedTitle(error)} onRetry={model.retry} />;
  }
  return <ErrorNotice error={error} onRetry={model.pay} />;
}

type PaymentPanelProps = {
  model: PaymentPanelModel;
  /** The amount as people read it: "₹500". */
  price: string;
  /** The hold timer. */
  timer: ReactNode;
  onBack: () => void;
  leaving: boolean;
};

/** Scrolls to the error: the button is always visible, the message is not. */
function useInSight(trouble: unknown): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (trouble) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [trouble]);
  return ref;
}

type PayRowProps = Pick<PaymentPanelProps, 'model' | 'price' | 'onBack' | 'leaving'>;

/** On small screens a bar at the bottom edge; `scroll-padding` keeps the focus from under it. */
const PAY_ROW =
  'sticky bottom-0 z-30 -mx-[clamp(1.25rem,4vw,2.5rem)] flex items-center gap-3 border-t ' +
  'border-hairline bg-surface px-[clamp(1.25rem,4vw,2.5rem)] py-3 ' +
  'pb-[max(0.75rem,env(safe-area-inset-bottom))] lg:static lg:m-0 lg:border-0 lg:p-0';

/** The button that carries the amount. */
function PayRow({ model, price, onBack, leaving }: PayRowProps) {
  const { phase, dismissed } = model.state;
  const usable = phase === 'ready' || phase === 'open';
  return (
    <div data-bottom-bar className={PAY_ROW}>
      <Button variant="secondary" onClick={onBack} busy={leaving} busyText="Giving your time back…">
        Back
      </Button>
      <Button aria-disabled={usable ? undefined : true} onClick={model.pay} className="flex-1">
        {dismissed ? 'Retry Payment' : `Pay ${price}`}
      </Button>
    </div>
  );
}

/**
 * A card with the button in it. On small screens the button leaves the card for the bottom edge,
 * where it is in reach beside the summary too; so it must be no child of the card's box there.
 */
const CARD = {
  wide:
    'contents lg:flex lg:flex-col lg:gap-5 lg:rounded-card lg:border lg:border-hairline ' +
    'lg:bg-surface lg:p-6 lg:shadow-soft',
  small:
    'flex flex-col gap-5 rounded-card border border-hairline bg-surface p-6 shadow-soft lg:contents',
};

/** Paying, and everything that can happen around it. */
export function PaymentPanel(props: PaymentPanelProps) {
  const { model, timer } = props;
  const { phase, declined, error } = model.state;
  const trouble = useInSight(declined ?? error);
  return (
    <section aria-labelledby="payment-title" className={CARD.wide}>
      <div className={CARD.small}>
        <h2 id="payment-title" className="text-h3">
          Payment
        </h2>
        {timer}
        <ul className="flex flex-wrap gap-2 text-sm text-ink-2">
          {['UPI', 'Cards', 'Net banking', 'Wallets'].map((way) => (
            <li key={way} className="rounded-full border border-hairline px-3 py-1">
              {way}
            </li>
          ))}
        </ul>
        <div ref={trouble} className="flex flex-col gap-5 empty:hidden">
          {declined ? (
            <Alert tone="error" live title="The payment did not go through">
              {declined}
            </Alert>
          ) : null}
          <Failure model={model} />
        </div>
        <Dismissed model={model} />
        <Progress phase={phase} />
        <p className="text-sm text-ink-2 lg:order-last">
          We never see or keep your card or UPI data. You're only ever charged once. If anything
          goes wrong, you'll be refunded automatically. If {PROVIDER_NAME} adds a fee of its own to
          the price, that fee isn't refunded.
        </p>
      </div>
      <PayRow {...props} />
    </section>
  );
}
