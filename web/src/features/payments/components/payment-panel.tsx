import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Spinner } from '@/components/ui/spinner';
import { PROVIDER_NAME } from '../checkout-window';
import type { PaymentPanelModel } from '../hooks/use-payment-panel';
import type { PanelPhase } from '../panel-state';
import { orderFailedTitle } from '../payment-words';

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

/** The button that carries the amount, and everything that can happen around it. */
export function PaymentPanel({ model, price, timer, onBack, leaving }: PaymentPanelProps) {
  const { phase, dismissed, declined } = model.state;
  const usable = phase === 'ready' || phase === 'open';
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">Payment</h2>
      {timer}
      <ul className="flex flex-wrap gap-2 text-sm text-ink-2">
        {['UPI', 'Cards', 'Net banking', 'Wallets'].map((way) => (
          <li key={way} className="rounded-full border border-hairline px-3 py-1">
            {way}
          </li>
        ))}
      </ul>
      {declined ? (
        <Alert tone="error" live title="The payment did not go through">
          {declined}
        </Alert>
      ) : null}
      <Failure model={model} />
      <Progress phase={phase} />
      <Button size="lg" block aria-disabled={usable ? undefined : true} onClick={model.pay}>
        {dismissed ? 'Retry Payment' : `Pay ${price}`}
      </Button>
      <p className="text-sm text-ink-2">
        We never see or keep your card or UPI data. You're only ever charged once. If anything goes
        wrong, you'll be refunded automatically.
      </p>
      <div>
        <Button
          variant="secondary"
          onClick={onBack}
          busy={leaving}
          busyText="Giving your time back…"
        >
          Back
        </Button>
      </div>
    </Card>
  );
}
