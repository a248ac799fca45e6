import type { ReactNode } from 'react';
import { describeError } from '@/lib/errors';
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

/** A failed call in human words, with a way on and a number to quote. */
export function ErrorNotice({ error, onRetry, title, action, className }: ErrorNoticeProps) {
  const problem = describeError(error);
  const retry = onRetry ? (
    <Button variant="secondary" size="sm" onClick={onRetry}>
      Try again
    </Button>
  ) : null;
  return (
    <Alert
      tone="error"
      live
      className={className}
      title={title ?? problem.title}
      action={
        retry || action ? (
          <>
            {retry}
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
