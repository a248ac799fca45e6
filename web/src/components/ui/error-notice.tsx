import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { signOut } from '@/lib/auth';
import { CODE } from '@/lib/codes';
import { describeError, needsSecondStep } from '@/lib/errors';
import { useGo } from '@/lib/use-go';
import { useOnline, useWhenOnline } from '@/lib/use-online';
import { Alert, Reference } from './alert';
import { Button } from './button';

type ErrorNoticeProps = {
  error: unknown;
  onRetry?: () => void;
  /** Takes the place of the title that the error itself suggests. */
  title?: string;
  /** What else can be done, beside or instead of trying again. */
  action?: ReactNode;
  className?: string;
};

/** To the sign-in page, and back to this address with its whole query. */
function SignInAgain() {
  const { pathname, search } = useLocation();
  const go = useGo();

  function leave() {
    // The sign-in page sends back everyone with a session, and this session was refused.
    signOut();
    go(`/sign-in?return=${encodeURIComponent(`${pathname}${search}`)}`);
  }

  return (
    <Button size="sm" onClick={leave}>
      Sign In
    </Button>
  );
}

/** To the second step, or to setting one up, and back to this address. */
function ToSecondStep() {
  const { pathname, search } = useLocation();
  const to = `/sign-in?return=${encodeURIComponent(`${pathname}${search}`)}`;
  return (
    <Button size="sm" to={to}>
      Go to the Second Step
    </Button>
  );
}

function wayOn(error: unknown): ReactNode {
  if (needsSecondStep(error)) return <ToSecondStep />;
  return describeError(error).code === CODE.Unauthenticated ? <SignInAgain /> : null;
}

/**
 * A failed call in human words, with a way on and a number to quote. A call that reached no server
 * is made again as soon as the connection is back.
 */
export function ErrorNotice({ error, onRetry, title, action, className }: ErrorNoticeProps) {
  // The words about a lost connection depend on whether there is one now.
  useOnline();
  const problem = describeError(error);
  useWhenOnline(problem.lost ? onRetry : undefined);
  const retry = onRetry ? (
    <Button variant="secondary" size="sm" onClick={onRetry}>
      Try again
    </Button>
  ) : null;
  const way = wayOn(error) ?? retry;
  return (
    <Alert
      tone="error"
      live
      className={className}
      title={title ?? problem.title}
      action={
        way || action ? (
          <>
            {way}
            {action}
          </>
        ) : undefined
      }
    >
      <p>{problem.message}</p>
      <Reference id={problem.referenceId} />
    </Alert>
  );
}
