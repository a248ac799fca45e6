import { Fragment } from 'react';
import { OwnTime } from '@/components/own-time';
import { Alert } from '@/components/ui/alert';
import { formatDateTime, type Zone } from '@/lib/time';

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
  return (
    <Alert tone="ok" live title="Ready to book!">
      <p className="numeric">
        {title}, {inPerson ? 'in person' : 'online'}, on{' '}
        {starts.map((at, index) => (
          <Fragment key={at.getTime()}>
            {index > 0 ? '; ' : ''}
            {formatDateTime(at, zone)}
            {inPerson ? null : <OwnTime at={at} zone={zone} />}
          </Fragment>
        ))}
        , {price ? `for ${price}` : 'free of charge'}.
      </p>
    </Alert>
  );
}
