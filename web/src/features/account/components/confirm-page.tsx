import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { setFlashToast } from '@/components/ui/flash-toast';
import { useAuth } from '@/lib/auth';
import { type MailLink, mailLink } from '../auth-fragment';
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

const WORDS = {
  signup: {
    title: 'Confirm Your Email',
    ask: 'Press the button to confirm your email address and to sign in.',
    otherwise: 'If you did not ask for our mail, close this page. Nothing has changed.',
    button: 'Confirm my address',
    again: { to: '/sign-in', words: 'Sign In' },
  },
  recovery: {
    title: 'Choose a New Password',
    ask: 'Press the button to go on and choose a new password.',
    otherwise: 'If you did not ask for our mail, close this page. Your password stays as it is.',
    button: 'Continue',
    again: { to: '/recover', words: 'Send me a new code' },
  },
} as const;

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

type AskProps = { link: MailLink; onDone: (needed: boolean) => void; onBroken: () => void };

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
    if ('data' in answer) onDone(passwordNeeded(answer.data));
    else if (answer.problem.code === 'otp_expired') onBroken();
  }

  return (
    <AccountFrame title={words.title}>
      <div className="flex flex-col gap-5">
        {expired ? null : <ProblemNotice problem={call.problem} />}
        <p>{words.ask}</p>
        {auth.status === 'signed-in' ? (
          <p>
            You are signed in as <strong className="break-words">{auth.user.email}</strong>. If our
            mail went to another address, you are signed in with that one instead.
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

/** /confirm: where the links of mails lead. */
export function ConfirmPage() {
  const [link] = useState(() => mailLink(window.location.hash));
  const [back] = useState(() => linkReturnPath(link?.redirectTo ?? '', window.location.origin));
  const [stage, setStage] = useState<'ask' | 'broken' | 'password'>(link ? 'ask' : 'broken');
  const leave = useLeave(back);
  const { choosing, onConfirmed } = useConfirmed(() => {
    setFlashToast({ title: 'Email confirmed', description: 'You are signed in.' });
    leave();
  });

  function saved() {
    setFlashToast({ title: 'Password saved', description: 'You are signed in.' });
    leave();
  }

  if (choosing) return <ChoosePassword onDone={leave} />;
  if (!link || stage === 'broken') return <BrokenLink type={link?.type ?? 'signup'} back={back} />;
  if (stage === 'password') {
    return (
      <AccountFrame title={WORDS.recovery.title}>
        <NewPasswordForm onDone={saved} />
      </AccountFrame>
    );
  }
  return (
    <Ask
      link={link}
      onBroken={() => setStage('broken')}
      onDone={(needed) => {
        if (link.type === 'recovery') setStage('password');
        else void onConfirmed(needed);
      }}
    />
  );
}
