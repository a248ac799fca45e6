/** A read that failed: what is shown stays, with the time at which it was read. */
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { describeError } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { formatClock } from '@/lib/time';

type StaleNoticeProps = {
  error: unknown;
  /** When what is shown was read; 0 where nothing is shown. */
  readAt: number;
  /** What could not be read: "The closed times". */
  what: string;
  onRetry: () => void;
};

export function StaleNotice({ error, readAt, what, onRetry }: StaleNoticeProps) {
  const zone = usePracticeZone();
  if (!error) return null;
  const { retryable } = describeError(error);
  if (readAt === 0 || !retryable) {
    return <ErrorNotice error={error} onRetry={onRetry} title={titleOf(error, what)} />;
  }
  return (
    <Alert
      tone="warn"
      live
      title={`As of ${formatClock(new Date(readAt), zone)}`}
      action={
        <Button variant="secondary" size="sm" onClick={onRetry}>
          Retry
        </Button>
      }
    >
      {what} could not be read again. What you see may be old.
    </Alert>
  );
}

/** The part's name, where the words of the error do not already say what to do. */
function titleOf(error: unknown, what: string): string {
  const { title, retryable } = describeError(error);
  return retryable ? `${what} cannot be read right now` : title;
}
