import { useConsultation } from '@/lib/practice';
import { Button } from './ui/button';

/** Invites to the consultation that costs nothing, where the practice offers one. */
export function FreeConsultation() {
  const consultation = useConsultation();
  if (!consultation) return null;
  const { serviceId, title, description } = consultation;
  return (
    <section
      aria-label={title}
      className="flex flex-col items-start gap-4 rounded-panel bg-sunken p-6 print:hidden"
    >
      <h2 className="text-h3">{title}</h2>
      <p>{description}</p>
      <Button href={`/booking-flow?service=${serviceId}`} variant="secondary">
        Choose a time
      </Button>
    </section>
  );
}
