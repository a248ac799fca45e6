import { Alert } from '@/components/ui/alert';
import { usePractice } from '@/lib/practice';

type ServiceNoticeProps = { title: string; disclaimer: string };

/** The notice that a service requires; without one, the notice that holds for all services. */
export function ServiceNotice({ title, disclaimer }: ServiceNoticeProps) {
  const { wellbeingNote } = usePractice();
  if (disclaimer) {
    return (
      <Alert tone="warn" title={title}>
        <p className="text-sm">{disclaimer}</p>
      </Alert>
    );
  }
  return wellbeingNote ? <p className="measure text-sm text-ink-2">{wellbeingNote}</p> : null;
}
