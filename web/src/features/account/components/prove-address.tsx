import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { shownAddress } from '@/lib/shown-address';
import { useAuthCall } from '../hooks/use-auth-call';
import { useConfirmed } from '../hooks/use-confirmed';
import { keepSignUpSecret } from '../sign-up-secret';
import { ProblemNotice } from './account-problem';
import { CodeForm } from './code-form';
import { NewPasswordForm } from './recover-form';

type ProveAddressProps = {
  email: string;
  onProved: () => void;
  /** Why it is asked for; of a free session if nothing is said. */
  why?: string;
};

const FREE_ONCE = 'This session is free once for each client.';

/** Asks an account whose address was never proved for the code of a mail, where a step needs that. */
export function ProveAddress({ email, onProved, why = FREE_ONCE }: ProveAddressProps) {
  const call = useAuthCall();
  const [sent, setSent] = useState(false);
  const { choosing, onRedeeming, onConfirmed } = useConfirmed(onProved);

  async function send() {
    const answer = await call.run(async (client) => {
      // This browser is signed in: the account is told to be its own, and keeps its password.
      const asked = await client.getUser();
      if (asked.error) return asked;
      keepSignUpSecret(asked.data.user);
      return client.resend({ type: 'signup', email });
    });
    if ('data' in answer) setSent(true);
  }

  if (choosing) {
    return (
      <Card className="flex flex-col gap-5">
        <h2 className="text-h3">Choose a Password</h2>
        <p>Your email is confirmed. To keep your account safe, choose a password now.</p>
        <NewPasswordForm onDone={onProved} />
      </Card>
    );
  }
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">Confirm Your Email</h2>
      {sent ? (
        <CodeForm
          email={email}
          kind="signup"
          onRedeeming={onRedeeming}
          onDone={(needed) => void onConfirmed(needed)}
          back={null}
        />
      ) : (
        <>
          <ProblemNotice problem={call.problem} />
          <p role="status">
            {why} Please show that <strong className="break-words">{shownAddress(email)}</strong> is
            your address: we send a code to it.
          </p>
          <Button
            className="self-start"
            busy={call.busy}
            busyText="Sending…"
            onClick={() => void send()}
          >
            Send me a code
          </Button>
        </>
      )}
    </Card>
  );
}
