import { Alert, Reference } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { GuideError } from '../guide-error';

type GuideProblemProps = { error: Error; onRetry: () => void };

/** The guide could not be read. The error carries the text, so that nothing is loaded offline. */
export function GuideProblem({ error, onRetry }: GuideProblemProps) {
  const { message, referenceId } =
    error instanceof GuideError
      ? error
      : { message: 'Please check your connection and try again.', referenceId: '' };
  return (
    <Alert
      tone="error"
      live
      title="The guide could not be loaded"
      action={
        <Button variant="secondary" size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <p>{message}</p>
      <Reference id={referenceId} />
    </Alert>
  );
}
