import { AppLink } from './ui/app-link';
import { Button } from './ui/button';

/** Where a client joins the wait list of a service; the practitioner is left out for anyone. */
export function waitPath(serviceId: string, practitionerId = ''): string {
  const query = { service: serviceId, ...(practitionerId && { practitioner: practitionerId }) };
  return `/account/waiting?${new URLSearchParams(query)}`;
}

type WaitLinkProps = {
  serviceId: string;
  /** Left out, or empty, for anyone. */
  practitionerId?: string | undefined;
  /** None of the times in sight is free. */
  full?: boolean;
};

/** The way to the wait list beside the times of a service. */
export function WaitLink({ serviceId, practitionerId, full = false }: WaitLinkProps) {
  const to = waitPath(serviceId, practitionerId);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
      No time that suits you?
      {full ? (
        <Button to={to} variant="secondary" size="sm">
          Join the wait list
        </Button>
      ) : (
        <AppLink
          to={to}
          className="inline-flex min-h-11 items-center text-brand underline hover:no-underline"
        >
          Join the wait list
        </AppLink>
      )}
    </p>
  );
}
