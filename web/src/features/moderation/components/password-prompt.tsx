import { useQuery } from '@connectrpc/connect-query';
import { type FormEvent, useCallback, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PasswordField } from '@/components/ui/password-field';
import { toast } from '@/components/ui/toast-store';
import { ReviewsStaffService } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { useAuth } from '@/lib/auth';
import { needsSecondStep } from '@/lib/errors';
import { isRefusal } from '../grant-rules';
import type { Grant } from '../hooks/use-grant';

const INCORRECT = 'Incorrect password.';

type PasswordPromptProps = { grant: Grant; onUnlocked: () => void; onLeave: () => void };

/** The sign-in page, which also asks for the second step, and back to this address. */
function SignInLink({ words, onLeave }: { words: string; onLeave: () => void }) {
  const { pathname, search, hash } = useLocation();
  const back = encodeURIComponent(`${pathname}${search}${hash}`);
  return (
    <AppLink
      to={`/sign-in?return=${back}`}
      onClick={onLeave}
      className="font-semibold text-brand underline underline-offset-4"
    >
      {words}
    </AppLink>
  );
}

/** Where staff unlock with their own password, they have to be known first. */
function SignInFirst({ onLeave }: { onLeave: () => void }) {
  return (
    <Alert live>
      <p>
        <SignInLink words="Sign in" onLeave={onLeave} /> with your practice account first, then type
        your password here.
      </p>
    </Alert>
  );
}

/** The panel asks for the same second step as all work of the practice. */
function SecondStepFirst({ onLeave }: { onLeave: () => void }) {
  return (
    <Alert live tone="error">
      <p>
        <SignInLink words="Use your second step, or set one up" onLeave={onLeave} />, then type your
        password here.
      </p>
    </Alert>
  );
}

function useUnlock(grant: Grant, onUnlocked: () => void) {
  const field = useRef<HTMLInputElement | null>(null);
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  /** The dialog opens with the focus on what has this attribute; React does not write it. */
  const takeField = useCallback((input: HTMLInputElement | null) => {
    input?.setAttribute('autofocus', '');
    if (input && !field.current) input.focus();
    field.current = input;
  }, []);

  function refuse(text: string) {
    setPassword('');
    setError(text);
    field.current?.focus();
  }

  async function submit() {
    if (busy) return;
    setFailure(undefined);
    if (password === '') return refuse('Please type your password.');
    setBusy(true);
    try {
      if (await grant.unlock(password)) onUnlocked();
    } catch (refusal) {
      if (isRefusal(refusal)) {
        refuse(INCORRECT);
        toast({
          title: 'Access Denied',
          description: INCORRECT,
          variant: 'destructive',
          beside: true,
        });
      } else setFailure(refusal);
    } finally {
      setBusy(false);
    }
  }

  function change(text: string) {
    setPassword(text);
    setError(undefined);
  }

  return { password, change, error, failure, busy, submit, takeField };
}

function Failure({ failure, onLeave }: { failure: unknown; onLeave: () => void }) {
  if (needsSecondStep(failure)) return <SecondStepFirst onLeave={onLeave} />;
  return <ErrorNotice error={failure} title="The password could not be checked" />;
}

/** Asks for the password. It is sent to the server once and kept nowhere. */
export function PasswordPrompt({ grant, onUnlocked, onLeave }: PasswordPromptProps) {
  const auth = useAuth();
  const { data: moderation } = useQuery(ReviewsStaffService.method.getModeration, {});
  const { password, change, error, failure, busy, submit, takeField } = useUnlock(
    grant,
    onUnlocked,
  );
  const unknown = moderation?.signInRequired === true && auth.status === 'signed-out';

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void submit();
  }

  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-5">
      {grant.why ? (
        <Alert tone="warn" live>
          {grant.why}
        </Alert>
      ) : null}
      {unknown ? <SignInFirst onLeave={onLeave} /> : null}
      <p className="text-ink-2">
        For the practice only. Type your password to see all reviews and to delete what should not
        be there. Closing this panel locks it again.
      </p>
      {failure ? <Failure failure={failure} onLeave={onLeave} /> : null}
      {auth.user ? (
        <input type="text" autoComplete="username" value={auth.user.email} readOnly hidden />
      ) : null}
      <PasswordField
        ref={takeField}
        kind="current-password"
        name="password"
        value={password}
        error={error}
        readOnly={busy}
        onChange={(event) => change(event.target.value)}
      />
      <Button type="submit" busy={busy} busyText="Checking…" className="sm:self-start">
        Unlock
      </Button>
    </form>
  );
}
