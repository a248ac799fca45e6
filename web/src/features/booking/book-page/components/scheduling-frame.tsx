/** The scheduling provider's own widget, in which the time of a service is chosen. */
import { ConnectError } from '@connectrpc/connect';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Skeleton } from '@/components/ui/skeleton';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { describeError } from '@/lib/errors';
import { useSchedulingFrame } from '../hooks/use-scheduling-frame';

/** Refusals whose sentence is the specification's, and is shown to the letter. */
const SPOKEN = new Set([
  'EVENT_TYPES_UNAVAILABLE',
  'NO_EVENT_TYPES',
  'SCHEDULED_EVENT_UNAVAILABLE',
  'SCHEDULED_EVENT_NOT_FOUND',
  'OTHER_EVENT_TYPE',
  'SCHEDULED_EVENT_USED',
  'VISIT_ENDED',
  'TOO_MANY_SCHEDULED_EVENTS',
]);

function FailedAlert({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { reason, title, message, retryable } = describeError(error);
  const spoken = SPOKEN.has(reason) ? ConnectError.from(error).rawMessage : '';
  const retry = (
    <Button size="sm" variant="secondary" onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <Alert tone="warn" live title={spoken || title} action={retryable ? retry : undefined}>
      {spoken ? 'Nothing is booked here, and nothing was charged.' : message}{' '}
      {retryable ? 'What you chose is not lost.' : 'Please choose a time again, or write to us.'}
    </Alert>
  );
}

type SchedulingFrameProps = { service: Service; onChosen: (slot: string) => void };

export function SchedulingFrame({ service, onChosen }: SchedulingFrameProps) {
  const { frame, src, visit, taking } = useSchedulingFrame({ service, onChosen });
  const { variables: uris } = taking;
  return (
    <div className="flex flex-col gap-4">
      {taking.error ? (
        <FailedAlert error={taking.error} onRetry={() => uris && taking.mutate(uris)} />
      ) : null}
      <p role="status" className="text-ink-2 empty:hidden">
        {taking.isPending ? 'We are looking at the time that you chose…' : ''}
      </p>
      {visit.error ? (
        <ErrorNotice error={visit.error} onRetry={() => void visit.refetch()} />
      ) : null}
      {src ? (
        <iframe
          ref={frame}
          src={src}
          title={`Choose a time for ${service.title}`}
          className="h-[44rem] w-full rounded-card border border-hairline bg-surface"
        />
      ) : null}
      {visit.isPending ? <Skeleton className="h-[44rem] w-full rounded-card" /> : null}
    </div>
  );
}
