import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';

type PackageNoticeProps = {
  /** The package that the address names, if the practice offers it. */
  offer: Package | undefined;
  /** The service that the address names, or empty. */
  serviceId: string;
  /** The address at which the dates of a package are chosen. */
  datesLink: (serviceId: string, packageId: string) => string;
};

/** Leads to the dates of a package, which are chosen together; the single sessions stay below. */
export function PackageNotice({ offer, serviceId, datesLink }: PackageNoticeProps) {
  const { serviceIds = [] } = offer ?? {};
  const chosen = serviceIds.includes(serviceId) ? serviceId : serviceIds[0];
  if (!offer || !chosen) {
    return (
      <Alert title="We don't offer this package">Please choose one of our sessions below.</Alert>
    );
  }
  const { title, sessions, price } = offer;
  return (
    <Alert
      title={`${title}: ${sessions} sessions for ${formatPrice(price)}`}
      action={
        <Button to={datesLink(chosen, offer.packageId)} variant="secondary" size="sm">
          Choose the Dates
        </Button>
      }
    >
      You choose the dates of all its sessions together and pay once. Single sessions are below.
    </Alert>
  );
}
