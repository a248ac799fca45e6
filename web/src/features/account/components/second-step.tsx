/** The second step of signing in: an authenticator app, a phone, a passkey, or a recovery code. */
import type { Factor, GoTrueClient } from '@supabase/auth-js';
import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import { authClient, signOut } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { CODE_LENGTH, type CodeValues, codeDigits } from '../account-rules';
import { showRecoveryCode } from '../api/account-calls';
import { IdentityError } from '../api/identity-calls';
import { openWithPasskey } from '../api/passkeys';
import { takeSession } from '../api/take-session';
import { dataOf } from '../hooks/use-auth-call';
import { useCall } from '../hooks/use-call';
import { hasPasskeys } from '../passkey-support';
import { isPhone } from '../second-factor';
import { ProblemNotice } from './account-problem';
import { CodeStep } from './code-step';

const phoneStep = lazyLoader(
  async () => (await importWithRetry(() => import('./phone-step'))).PhoneStep,
);

type SecondStepProps = {
  /** The authenticator apps and phones of the account. */
  factors: readonly Factor[];
  onDone: () => void;
};

type Way = 'app' | 'phone' | 'passkey' | 'recovery';

const WORDS: Record<Way, { ask: string; other: string }> = {
  app: { ask: 'Type the code that your authenticator app shows now.', other: 'Use the app' },
  phone: { ask: 'We send a code to your phone.', other: 'Use your phone' },
  passkey: { ask: 'Use the passkey of this account.', other: 'Use a passkey' },
  recovery: {
    ask: 'Type one of your recovery codes. Each works once.',
    other: 'Use a recovery code',
  },
};

function sixDigits({ code }: CodeValues): { code?: string } {
  const right = codeDigits(code).length === CODE_LENGTH;
  return right ? {} : { code: `Enter the ${CODE_LENGTH} digits that the app shows` };
}

function anyCode({ code }: CodeValues): { code?: string } {
  return code.trim() ? {} : { code: 'Enter one of your recovery codes' };
}

/** A code fits one of the apps; which one it was read from is not asked. */
async function redeemApp(apps: readonly Factor[], typed: string): Promise<void> {
  const client: GoTrueClient = await authClient();
  const code = codeDigits(typed);
  for (const [index, { id: factorId }] of apps.entries()) {
    const { error } = await client.mfa.challengeAndVerify({ factorId, code });
    if (!error) return;
    const more = index + 1 < apps.length;
    if (!more || error.code !== 'mfa_verification_failed') throw error;
  }
}

async function redeemRecovery(typed: string): Promise<void> {
  await takeSession(await showRecoveryCode(typed.trim()));
}

/** The passkey has to be one of the account that has done its first step. */
async function redeemPasskey(): Promise<void> {
  // Asked before: a new session of this browser ends the one that it had.
  const { user } = await dataOf((await authClient()).getUser());
  const session = await openWithPasskey();
  if (session.user.id !== user?.id) {
    // The service has opened the other account for this browser; neither session goes on.
    signOut();
    throw new IdentityError('another account', 'passkey_other_account', 403);
  }
  await takeSession(session);
}

function PasskeyStep({ onDone }: { onDone: () => void }) {
  const call = useCall();

  async function press() {
    const answer = await call.run(redeemPasskey);
    if ('data' in answer) onDone();
  }

  return (
    <div className="flex flex-col gap-5">
      <ProblemNotice problem={call.problem} />
      <Button
        block
        busy={call.busy}
        busyText="Waiting for your passkey…"
        onClick={() => void press()}
      >
        Use my passkey
      </Button>
    </div>
  );
}

export function SecondStep({ factors, onDone }: SecondStepProps) {
  const apps = factors.filter((factor) => !isPhone(factor));
  const phones = factors.filter(isPhone);
  const ways: Way[] = [
    ...(apps.length > 0 ? (['app'] as const) : []),
    ...(phones.length > 0 ? (['phone'] as const) : []),
    ...(hasPasskeys() ? (['passkey'] as const) : []),
    'recovery',
  ];
  const [chosen, setWay] = useState<Way>();
  const way = chosen ?? ways[0] ?? 'recovery';
  return (
    <div className="flex flex-col gap-5">
      <p aria-live="polite">{WORDS[way].ask}</p>
      {way === 'app' ? (
        <CodeStep
          key="app"
          label={`${CODE_LENGTH}-digit code`}
          validate={sixDigits}
          numeric
          wrong="That code is not right. Check it, or wait for the next one."
          redeem={(code) => redeemApp(apps, code)}
          onDone={onDone}
        />
      ) : null}
      {way === 'phone' ? (
        <LazySection
          code={phoneStep}
          resting={<Spinner className="self-center" />}
          missing="This step could not be loaded."
        >
          {(PhoneStep) => <PhoneStep phones={phones} onDone={onDone} />}
        </LazySection>
      ) : null}
      {way === 'passkey' ? <PasskeyStep onDone={onDone} /> : null}
      {way === 'recovery' ? (
        <>
          <CodeStep
            key="recovery"
            label="Recovery code"
            validate={anyCode}
            numeric={false}
            wrong="That recovery code is wrong or was used already. Each works once."
            redeem={redeemRecovery}
            onDone={onDone}
          />
          <p className="text-sm text-ink-2">
            No code left?{' '}
            <AppLink to="/contact" className="text-brand underline underline-offset-4">
              Write to us
            </AppLink>
            . We make sure that it is you, and help you back in.
          </p>
        </>
      ) : null}
      <div className="flex flex-wrap gap-2 border-t border-hairline pt-4">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} variant="quiet" size="sm" onClick={() => setWay(other)}>
              {WORDS[other].other}
            </Button>
          ))}
      </div>
    </div>
  );
}
