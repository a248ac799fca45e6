import { Alert } from '@/components/ui/alert';
import { formatDateTime, formatOwnTime, type Zone } from '@/lib/time';

type ReadySummaryProps = {
  title: string;
  /** Empty for what costs nothing. */
  price: string;
  at: Date;
  zone: Zone;
  inPerson: boolean;
};

/** Shown once date, time and agreement are set. */
export function ReadySummary({ title, price, at, zone, inPerson }: ReadySummaryProps) {
  const own = inPerson ? undefined : formatOwnTime(at, zone);
  return (
    <Alert tone="ok" live title="Ready to book!">
      <p className="numeric">
        {title}, {inPerson ? 'in person' : 'online'}, on {formatDateTime(at, zone)}
        {own ? ` (${own})` : ''}, {price ? `for ${price}` : 'free of charge'}.
      </p>
    </Alert>
  );
}
