import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';

/** What holds for a package until it can be booked here: a clear sentence, and the single sessions. */
export function PackageNotice({ offer }: { offer: Package | undefined }) {
  if (!offer) {
    return (
      <Alert title="We don't offer this package">Please choose one of our sessions below.</Alert>
    );
  }
  const { title, sessions, price } = offer;
  return (
    <Alert
      title={`${title}: ${sessions} sessions for ${formatPrice(price)}`}
      action={
        <Button to="/contact" variant="secondary" size="sm">
          Ask for the Package
        </Button>
      }
    >
      This package can't be booked on this page yet. Write to us if you would like it, or choose a
      single session below.
    </Alert>
  );
}
