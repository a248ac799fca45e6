import { Button } from '@/components/ui/button';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

/** Calls the practice. The number does not break; with large letters it is as wide as its card. */
export function CallUs() {
  const { phone } = usePractice();
  return (
    <Button href={`tel:${phone}`} size="sm" variant="secondary" className="max-w-full">
      Call {formatPhone(phone)}
    </Button>
  );
}
