import { Alert } from '@/components/ui/alert';
import { ErrorNotice } from '@/components/ui/error-notice';
import { organisationWords } from '../organisation-messages';

type OrganisationNoticeProps = { error: unknown; onRetry?: () => void };

/** A failed call about members or invitations, in words that say what to do. */
export function OrganisationNotice({ error, onRetry }: OrganisationNoticeProps) {
  if (!error) return null;
  const words = organisationWords(error);
  if (!words) return <ErrorNotice error={error} {...(onRetry ? { onRetry } : {})} />;
  return (
    <Alert tone="error" live title={words.title}>
      {words.message}
    </Alert>
  );
}
