/** The frame of a part of the account page, with its states while it loads and when it fails. */
import { type ReactNode, useId } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { signOut } from '@/lib/auth';
import { useGo } from '@/lib/use-go';
import { useWhenOnline } from '@/lib/use-online';
import { describeAccountError, isSessionOver } from '../account-messages';

type SectionProps = {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** What an address leads to. */
  id?: string;
};

export function Section({ title, lead, children, id }: SectionProps) {
  const titleId = useId();
  return (
    <section id={id} aria-labelledby={titleId} className="scroll-mt-24">
      <Card className="flex flex-col gap-5">
        <div className="flex flex-col gap-1">
          <h2 id={titleId} className="text-h3">
            {title}
          </h2>
          {lead ? <p className="measure text-ink-2">{lead}</p> : null}
        </div>
        {children}
      </Card>
    </section>
  );
}

/** Leads to signing in and back to the account. */
function SignInAgain() {
  const go = useGo();

  function leave() {
    // The sign-in page sends back everyone with a session, and this session was refused.
    signOut();
    go('/sign-in?return=%2Faccount');
  }

  return (
    <Button size="sm" onClick={leave}>
      Sign In
    </Button>
  );
}

type FailureProps = { error: unknown; title: string; onRetry: () => void };

/** A part that could not be read, with a way on. */
export function Failure({ error, title, onRetry }: FailureProps) {
  const problem = describeAccountError(error);
  useWhenOnline(problem.lost ? onRetry : undefined);
  const over = isSessionOver(problem);
  return (
    <Alert
      tone="error"
      live
      title={over ? problem.title : title}
      action={
        over ? (
          <SignInAgain />
        ) : (
          <Button variant="secondary" size="sm" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {problem.message}
    </Alert>
  );
}

type Reading<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

type ReadProps<T> = {
  reading: Reading<T>;
  /** What to say when it cannot be read. */
  missing: string;
  children: (data: T) => ReactNode;
};

/** What was read, or its place while it comes, or why it does not. */
export function Read<T>({ reading, missing, children }: ReadProps<T>) {
  const { data, error, refetch } = reading;
  if (data !== undefined) return children(data);
  if (error) return <Failure error={error} title={missing} onRetry={() => void refetch()} />;
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-24 w-full rounded-card" />
    </div>
  );
}
