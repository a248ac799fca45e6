import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { useAuth } from '@/lib/auth';
import { isSessionOver } from '@/lib/errors';
import { useOwnConsent } from '../hooks/use-own-consent';
import { OwnConsent } from './own-consent';

function SignedOut() {
  const back = encodeURIComponent('/consent');
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>Sign in to see what you agreed to. Only you can see it.</p>
      <Button to={`/sign-in?return=${back}`}>Sign In</Button>
    </Card>
  );
}

function Record({ userId }: { userId: string }) {
  const { data, error, refetch } = useOwnConsent(userId);
  const failed = error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null;
  if (!data || isSessionOver(error)) {
    return failed ?? <Skeleton className="h-80 w-full rounded-card" />;
  }
  if (data.consent) {
    return (
      <>
        {failed}
        <OwnConsent record={data.consent} current={data.current} />
      </>
    );
  }
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>
        You haven't given a consent yet. We ask for it when you book an online session for the first
        time.
      </p>
      <Button to="/book">Book a session</Button>
    </Card>
  );
}

/** /consent: what the signed-in client agreed to, and the way to take it back. */
export function ConsentPage() {
  const { status, user } = useAuth();
  return (
    <div className="container-page flex flex-col gap-8 py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading lead="What you agreed to before your online sessions. You can withdraw it at any time.">
          Your Consent
        </PageHeading>
        {status === 'signed-out' ? <SignedOut /> : null}
        {user ? <Record userId={user.id} /> : null}
        {status === 'unknown' ? <Skeleton className="h-80 w-full rounded-card" /> : null}
      </div>
    </div>
  );
}
