import { useParams } from 'react-router';
import { ServiceDetails } from '@/features/catalogue/components/service-details';
import { ServiceNotFound } from '@/features/catalogue/components/service-not-found';
import { useService } from '@/lib/practice';

export default function ServicePage() {
  const { serviceId } = useParams();
  const service = useService(serviceId);
  return service ? <ServiceDetails service={service} /> : <ServiceNotFound />;
}
