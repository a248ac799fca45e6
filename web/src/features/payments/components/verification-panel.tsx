import { type ReactNode, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Spinner } from '@/components/ui/spinner';
import { usePractice } from '@/lib/practice';
import type { Verification } from '../hooks/use-verification';
import { MONEY_SAFE } from '../payment-messages';
import { ClaimDialog } from './claim-dialog';
import { Countdown } from './countdown';
import { PaymentSupport } from './payment-support';

export type VerificationFacts = {
  reference: string;
  /** The customer's claim is being checked. */
  claimed: boolean;
  /** The last attempt was refused by the bank. */
  attemptFailed: boolean;
  /** The checkout's answer was refused by the server. */
  answerRefused: boolean;
};

type VerificationPanelProps = {
  verification: Verification;
  facts: VerificationFacts;
  /** The booking in short. */
  summary: ReactNode;
  /** Back to the payment step, for another attempt with the same order. */
  onPayAgain: () => void;
};

function Status({ verification, facts }: Pick<VerificationPanelProps, 'verification' | 'facts'>) {
  const { status, message, secondsLeft, windowSeconds } = verification;
  const { refundDaysText } = usePractice();
  if (status === 'paid') {
    return (
      <p role="status" className="flex items-center justify-center gap-3 py-6">
        <Spinner /> Your payment has arrived. We are placing your booking…
      </p>
    );
  }
  if (status === 'returned') {
    return (
      <Alert tone="warn" title="Your money is on its way back" live>
        A payment reached us that does not match this booking. All of it goes back to your original
        payment method, within {refundDaysText}.
      </Alert>
    );
  }
  if (facts.claimed) {
    return (
      <Alert title="Your payment is being verified" live>
        Thank you for telling us. We have asked the payment provider and keep asking. As soon as the
        money is seen, your booking is confirmed, here and by mail.
      </Alert>
    );
  }
  if (status === 'failed') {
    return (
      <Alert tone="warn" title={message} live>
        {MONEY_SAFE} If you have paid, nothing is lost: banks can be slow, and we go on asking for
        days.
      </Alert>
    );
  }
  return (
    <>
      <Countdown secondsLeft={secondsLeft} windowSeconds={windowSeconds} />
      <p role="status" className="text-center text-lg">
        {MONEY_SAFE}
      </p>
    </>
  );
}

function Refusals({ facts, onPayAgain }: Pick<VerificationPanelProps, 'facts' | 'onPayAgain'>) {
  if (facts.answerRefused) {
    return (
      <Alert tone="error" live title="Unable to verify payment. Please contact support.">
        The answer of the payment window could not be checked. If money has left your account, we
        still find it.
      </Alert>
    );
  }
  if (!facts.attemptFailed) return null;
  return (
    <Alert
      tone="error"
      live
      title="The last attempt did not go through"
      action={
        <Button variant="secondary" size="sm" onClick={onPayAgain}>
          Retry Payment
        </Button>
      }
    >
      Your bank or app declined it. If money left your account, your bank will return it. Your time
      is still kept.
    </Alert>
  );
}

function Actions({
  verification,
  facts,
  onPayAgain,
  onAsk,
}: VerificationPanelProps & { onAsk: () => void }) {
  const { status, tryAgain, claiming } = verification;
  const open = !facts.claimed && status !== 'returned';
  return (
    <div className="flex flex-wrap gap-3">
      {open ? (
        <>
          <Button variant={status === 'failed' ? 'primary' : 'secondary'} onClick={tryAgain}>
            Try Again
          </Button>
          <Button variant="secondary" busy={claiming} busyText="Telling us…" onClick={onAsk}>
            I Completed Payment
          </Button>
        </>
      ) : null}
      <Button variant="quiet" onClick={onPayAgain}>
        Back to Payment
      </Button>
    </div>
  );
}

/** "Payment Verification": what is happening while it lasts, and always a way on. */
export function VerificationPanel(props: VerificationPanelProps) {
  const { verification, facts, summary, onPayAgain } = props;
  const [asking, setAsking] = useState(false);
  const { status } = verification;
  return (
    <Card className="flex flex-col gap-6">
      <Refusals facts={facts} onPayAgain={onPayAgain} />
      <Status verification={verification} facts={facts} />
      {summary}
      {verification.claimError ? (
        <ErrorNotice error={verification.claimError} onRetry={verification.claim} />
      ) : null}
      {status === 'paid' ? null : <Actions {...props} onAsk={() => setAsking(true)} />}
      <PaymentSupport reference={facts.reference} />
      <ClaimDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          verification.claim();
        }}
      />
    </Card>
  );
}
