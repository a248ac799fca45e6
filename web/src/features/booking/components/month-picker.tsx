import { useState } from 'react';
import { LateSection } from '@/components/late-section';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { importAgain } from '@/lib/import-again';
import { lateCode } from '@/lib/use-late';
import type { Schedule } from '../hooks/use-schedule';

/** The month grid is heavy and rarely needed, so it comes when it is asked for. */
const monthGrid = lateCode(async () => (await importAgain(() => import('./month-grid'))).default);

export type MonthPickerProps = { serviceId: string; schedule: Schedule };

export function MonthPicker({ serviceId, schedule }: MonthPickerProps) {
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
        <LateSection
          code={monthGrid}
          resting={<Skeleton className="h-88 w-full max-w-90 rounded-card" />}
          missing="The calendar could not be loaded"
        >
          {(MonthGrid) => (
            <MonthGrid
              serviceId={serviceId}
              schedule={schedule}
              onChosen={(date) => {
                schedule.chooseDate(date);
                setOpen(false);
              }}
            />
          )}
        </LateSection>
      ) : null}
    </div>
  );
}
