import type { AuthResponse } from '@supabase/auth-js';
import { useCallback, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { setFlashToast } from '@/components/ui/flash-toast';
import { useAuth } from '@/lib/auth';
import { shownAddress } from '@/lib/shown-address';
import { type LinkType, type MailLink, mailLink } from '../auth-fragment';
import { useArrival } from '../hooks/use-arrival';
import { useAuthCall } from '../hooks/use-auth-call';
import { useConfirmed } from '../hooks/use-confirmed';
import { useLeave } from '../hooks/use-return';
import { isForOtherClient, redeemForOtherClient } from '../other-client';
import { passwordNeeded, redeem } from '../redeem';
import { accountPath, linkReturnPath } from '../return-path';
import { AccountFrame } from './account-frame';
import { ProblemNotice } from './account-problem';
import { ChoosePassword } from './choose-password';
import { NewPasswordForm } from './recover-form';
import { SecondStep } from './second-step';

type Words = {
  title: string;
  ask: string;
  otherwise: string;
  button: string;
  /** The way on where the link does not work. */
  again: { to: '/sign-in' | '/recover'; words: string };
};

const SIGN_IN = { to: '/sign-in', words: 'Sign In' } as const;
const UNASKED = 'If you did not ask for our mail, close this page. Nothing has changed.';

const WORDS: Record<LinkType, Words> = {
  signup: {
    title: 'Confirm Your Email',
    ask: 'Press the button to confirm your email address and to sign in.',
    otherwise: UNASKED,
    button: 'Confirm my address',
    again: SIGN_IN,
  },
  recovery: {
    title: 'Choose a New Password',
    ask: 'Press the button to go on and choose a new password.',
    otherwise: 'If you did not ask for our mail, close this page. Your password stays as it is.',
    button: 'Continue',
    again: { to: '/recover', words: 'Send me a new code' },
  },
  magiclink: {
    title: 'Sign In',
    ask: 'Press the button to sign in.',
    otherwise: UNASKED,
    button: 'Sign me in',
    again: SIGN_IN,
  },
  invite: {
    title: 'Your Invitation',
    ask: 'Press the button to accept the invitation and choose a password.',
    otherwise: 'If you do not know why you got our mail, close this page. Nothing has changed.',
    button: 'Accept the invitation',
    again: SIGN_IN,
  },
  email_change: {
    title: 'Confirm Your New Email',
    ask: 'Press the button to confirm the change of your email address.',
    otherwise: 'If you do not know this account, close this page. Nothing has changed.',
    button: 'Confirm the change',
    again: SIGN_IN,
  },
};

/** After these a password is chosen. */
const LEADS_TO_PASSWORD: readonly LinkType[] = ['recovery', 'invite'];

/** The link was used already, is too old, or is no link of ours. */
function BrokenLink({ type, back }: { type: MailLink['type']; back: string }) {
  const { to, words } = WORDS[type].again;
  return (
    <AccountFrame title={WORDS[type].title}>
      <Alert
        tone="warn"
        title="That link did not work"
        live
        action={
          <Button to={accountPath(to, back)} variant="secondary" size="sm">
            {words}
          </Button>
        }
      >
        It was used already, or it is too old.{' '}
        {type === 'signup'
          ? 'Sign in; if your email is not confirmed yet, you get a new code.'
          : null}
      </Alert>
    </AccountFrame>
  );
}

type Redeemed = AuthResponse['data'];
type AskProps = { link: MailLink; onDone: (redeemed: Redeemed) => void; onBroken: () => void };

/** Which account the change is of, and which one this browser has. */
function WhichAccount({ account }: { account: string }) {
  const auth = useAuth();
  return (
    <p>
      {account ? (
        <>
          The change is of the account <strong className="wrap-anywhere">{account}</strong>.{' '}
        </>
      ) : null}
      {auth.status === 'signed-in' ? (
        <>
          In this browser you are signed in as{' '}
          <strong className="wrap-anywhere">{shownAddress(auth.user.email)}</strong>.
        </>
      ) : (
        'Open this where you asked for it: in this browser you are not signed in.'
      )}
    </p>
  );
}

/** Nothing happens before the button is pressed: programs open the links of mails, too. */
function Ask({ link, onDone, onBroken }: AskProps) {
  const { tokenHash, type } = link;
  const auth = useAuth();
  const call = useAuthCall();
  const words = WORDS[type];
  const expired = call.problem?.code === 'otp_expired';

  /** Another client has asked for the link: the service says where it waits. */
  async function handOver() {
    const answer = await call.run(() => redeemForOtherClient(link));
    if ('data' in answer && answer.data) window.location.assign(answer.data.redirectTo);
    else if ('problem' in answer && answer.problem.code === 'otp_expired') onBroken();
  }

  async function press() {
    if (isForOtherClient(link, window.location.origin)) return handOver();
    const code = { token_hash: tokenHash, type };
    const answer = await call.run((client) => redeem(client, code));
    if ('data' in answer) onDone(answer.data);
    else if (answer.problem.code === 'otp_expired') onBroken();
  }

  return (
    <AccountFrame title={words.title}>
      <div className="flex flex-col gap-5">
        {expired ? null : <ProblemNotice problem={call.problem} />}
        <p>{words.ask}</p>
        {type === 'email_change' ? <WhichAccount account={link.account} /> : null}
        {auth.status === 'signed-in' && type !== 'email_change' ? (
          <p>
            You are signed in as{' '}
            <strong className="break-words">{shownAddress(auth.user.email)}</strong>. If our mail
            went to another address, you are signed in with that one instead.
          </p>
        ) : null}
        <Button
          size="lg"
          block
          busy={call.busy}
          busyText="One moment…"
          onClick={() => void press()}
        >
          {words.button}
        </Button>
        <p className="text-sm text-ink-2">{words.otherwise}</p>
      </div>
    </AccountFrame>
  );
}

/** A change of address is confirmed at the old address and at the new one. */
function HalfDone() {
  return (
    <AccountFrame title={WORDS.email_change.title}>
      <Alert tone="ok" title="This half is done" live>
        We have written to your other address as well. Open the link of that mail, too; then your
        address is changed.
      </Alert>
    </AccountFrame>
  );
}

type Stage = 'ask' | 'broken' | 'password' | 'half';

const CHANGED = { title: 'Email changed', description: 'We write to your new address now.' };
const CONFIRMED = { title: 'Email confirmed', description: 'You are signed in.' };
const SAVED = { title: 'Password saved', description: 'You are signed in.' };
const SIGNED_IN = { title: "You're signed in" };

const TOASTS: Record<LinkType, { title: string; description?: string }> = {
  signup: CONFIRMED,
  recovery: SAVED,
  invite: SAVED,
  magiclink: SIGNED_IN,
  email_change: CHANGED,
};

/** /confirm: where the links of mails lead. */
export function ConfirmPage() {
  const [link] = useState(() => mailLink(window.location.hash));
  const [back] = useState(() => linkReturnPath(link?.redirectTo ?? '', window.location.origin));
  const [stage, setStage] = useState<Stage>(link ? 'ask' : 'broken');
  const type = link?.type ?? 'signup';
  const leave = useLeave(back);
  const done = useCallback(() => {
    setFlashToast(TOASTS[type]);
    leave();
  }, [type, leave]);
  const { next, arrive } = useArrival(done);
  const { choosing, onConfirmed } = useConfirmed(() => void arrive());

  function onDone(redeemed: Redeemed) {
    if (LEADS_TO_PASSWORD.includes(type)) setStage('password');
    else if (type === 'email_change' && !redeemed.session) setStage('half');
    // A link that signs in needs no password.
    else void onConfirmed(type === 'signup' && passwordNeeded(redeemed));
  }

  if (choosing) return <ChoosePassword onDone={leave} />;
  if (next.name === 'second-step') {
    return (
      <AccountFrame title="One More Step" lead="Your account asks for a second proof.">
        <SecondStep factors={next.factors} onDone={done} />
      </AccountFrame>
    );
  }
  if (!link || stage === 'broken') return <BrokenLink type={type} back={back} />;
  if (stage === 'half') return <HalfDone />;
  if (stage === 'password') {
    return (
      <AccountFrame title={WORDS[type].title}>
        <NewPasswordForm onDone={done} />
      </AccountFrame>
    );
  }
  return <Ask link={link} onBroken={() => setStage('broken')} onDone={onDone} />;
}
