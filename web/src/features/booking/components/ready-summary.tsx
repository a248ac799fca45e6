import { Alert } from '@/components/ui/alert';
import { formatDateTime, formatOwnTime, type Zone } from '@/lib/time';

type ReadySummaryProps = {
  title: string;
  /** Empty for what costs nothing. */
  price: string;
  /** When each session starts. */
  starts: readonly Date[];
  zone: Zone;
  inPerson: boolean;
};

/** Shown once date, time and agreement are set. */
export function ReadySummary({ title, price, starts, zone, inPerson }: ReadySummaryProps) {
  const when = starts.map((at) => {
    const own = inPerson ? undefined : formatOwnTime(at, zone);
    return `${formatDateTime(at, zone)}${own ? ` (${own})` : ''}`;
  });
  return (
    <Alert tone="ok" live title="Ready to book!">
      <p className="numeric">
        {title}, {inPerson ? 'in person' : 'online'}, on {when.join('; ')},{' '}
        {price ? `for ${price}` : 'free of charge'}.
      </p>
    </Alert>
  );
}
