import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { Schedule } from '../hooks/use-schedule';

/** The month grid is large and rarely needed, so its code is loaded when it is opened. */
const monthGrid = lazyLoader(
  async () => (await importWithRetry(() => import('./month-grid'))).default,
);

export function MonthPicker({ schedule }: { schedule: Schedule }) {
  const [open, setOpen] = useState(false);
  if (!schedule.today) return <div className="h-11" />;
  return (
    <div className="flex flex-col items-start gap-3">
      <Button
        variant="quiet"
        size="sm"
        className="-ml-4"
        aria-expanded={open}
        onClick={() => setOpen((was) => !was)}
      >
        {open ? 'Hide the calendar' : 'Pick another date'}
      </Button>
      {open ? (
        <LazySection
          code={monthGrid}
          resting={<Skeleton className="h-88 w-full max-w-90 rounded-card" />}
          missing="The calendar could not be loaded"
        >
          {(MonthGrid) => (
            <MonthGrid
              schedule={schedule}
              onChosen={(date) => {
                schedule.chooseDate(date);
                setOpen(false);
              }}
            />
          )}
        </LazySection>
      ) : null}
    </div>
  );
}
