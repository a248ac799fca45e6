import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { JoinKeyEnd } from '@/gen/booking/v1/join_page_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { useServerNow } from '@/lib/use-server-now';
import { useKeyPage } from '../hooks/use-join-page';
import { forgetJoinKey, knownJoinKey, rememberJoinKey } from '../join-key';
import { CallUs } from './call-us';
import { ClientSession } from './client-session';
import { RenewedKey } from './renewed-key';

/** How often the page looks whether the room's time has come. */
const LOOK_EVERY_MS = 1_000;

/** An address whose key is cut off, wrong or missing. */
function WrongAddress() {
  return (
    <Alert tone="warn" live title="This address is not complete" action={<CallUs />}>
      Please open the link in our mail again, or copy all of it. If your session starts now, call
      us, and we begin by phone.
    </Alert>
  );
}

function KeyPage({ joinKey }: { joinKey: string }) {
  const now = useServerNow(LOOK_EVERY_MS);
  const { data: page, error, refetch } = useKeyPage(joinKey);
  const isWrong = error !== null && describeError(error).code === CODE.NotFound;
  const isOver = page?.ended === JoinKeyEnd.ADOPTED || page?.ended === JoinKeyEnd.OVER;
  const opensNothing = isWrong || isOver;
  useEffect(() => {
    if (opensNothing) forgetJoinKey();
  }, [opensNothing]);
  if (isWrong) return <WrongAddress />;
  if (page?.ended === JoinKeyEnd.RENEWED) {
    return <RenewedKey joinKey={joinKey} call={<CallUs />} />;
  }
  if (!page && !error) return <Skeleton className="h-72 w-full rounded-card" />;
  return (
    <>
      {page ? <ClientSession page={page} now={now} /> : null}
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} action={<CallUs />} />
      ) : null}
    </>
  );
}

/** /join#key=…: a mail's link leads its client to the session, without an account. */
export function ClientJoinPage() {
  const { hash } = useLocation();
  const joinKey = knownJoinKey(hash);
  useEffect(() => {
    if (joinKey) rememberJoinKey(joinKey);
  }, [joinKey]);
  return (
    <div className="container-page flex flex-col gap-8 py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading>Your Session</PageHeading>
        {joinKey ? <KeyPage key={joinKey} joinKey={joinKey} /> : <WrongAddress />}
      </div>
    </div>
  );
}
