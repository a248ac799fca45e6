import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { bookingLink } from '@/features/catalogue/api/booking-links';
import { useService } from '@/lib/practice';
import { useGo } from '@/lib/use-go';
import { useHydrated } from '@/lib/use-hydrated';

const CHOOSE = '/services';

/**
 * The gateway sends these paths on before any page is read. Where no gateway stands in front, this
 * page does the same: to the booking of a service that is offered, otherwise to all services.
 */
export function ToBooking() {
  const [query] = useSearchParams();
  const service = useService(query.get('service'));
  const hydrated = useHydrated();
  const go = useGo();
  const target = service && hydrated ? bookingLink(service.serviceId) : CHOOSE;

  useEffect(() => {
    if (hydrated) go(target, { replace: true });
  }, [hydrated, target, go]);

  return (
    <div className="container-page flex flex-col items-start gap-8 py-20">
      <PageHeading lead="You are on your way to the free times. If nothing happens, this link leads there.">
        One moment
      </PageHeading>
      <Button to={target}>{target === CHOOSE ? 'Choose a service' : 'See free times'}</Button>
    </div>
  );
}
