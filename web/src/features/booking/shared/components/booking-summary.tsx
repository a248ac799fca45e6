import type { ReactNode } from 'react';
import { Card } from '@/components/ui/card';
import { classes } from '@/lib/classes';

export type SummaryRow = { label: string; value: ReactNode; strong?: boolean };

/** Names and values, as a definition list. */
export function SummaryList({ rows }: { rows: readonly SummaryRow[] }) {
  return (
    <dl className="flex flex-col divide-y divide-hairline">
      {rows.map(({ label, value, strong }) => (
        <div key={label} className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-2.5">
          <dt className={strong ? 'font-semibold' : 'text-ink-2'}>{label}</dt>
          <dd className={classes('numeric', strong ? 'text-lg font-semibold' : 'font-semibold')}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type BookingSummaryProps = { title: string; rows: readonly SummaryRow[]; children?: ReactNode };

/** A card that sums up what is booked. */
export function BookingSummary({ title, rows, children }: BookingSummaryProps) {
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">{title}</h2>
      <SummaryList rows={rows} />
      {children}
    </Card>
  );
}
