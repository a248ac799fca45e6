import { Alert } from '@/components/ui/alert';

type ServiceNoticeProps = { title: string; disclaimer: string };

/** The notice that must stand beside a service. Renders nothing where there is none. */
export function ServiceNotice({ title, disclaimer }: ServiceNoticeProps) {
  if (!disclaimer) return null;
  return (
    <Alert tone="warn" title={title}>
      <p className="text-sm">{disclaimer}</p>
    </Alert>
  );
}
