import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';

/** The page of a service that does not exist. */
export function ServiceNotFound() {
  return (
    <div className="container-page flex flex-col items-start gap-8 py-20">
      <PageHeading lead="This service does not exist, or is no longer offered. The others are one step away.">
        Service Not Found
      </PageHeading>
      <Button to="/services">Return to Services</Button>
    </div>
  );
}
