/** The client's own calendar, closed below the lists: most never open it, so it is loaded no sooner. */
import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { CalendarLoading } from './calendar-loading';

const calendarSection = lazyLoader(
  async () => (await importWithRetry(() => import('./calendar-section'))).CalendarSection,
);

export function CalendarPart({ userId }: { userId: string }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      className="rounded-card border border-hairline bg-surface px-6 shadow-soft"
      onToggle={({ currentTarget }) => currentTarget.open && setWasOpened(true)}
    >
      <summary className="min-h-11 cursor-pointer py-4 font-semibold hover:text-brand">
        See your sessions in your own calendar
      </summary>
      <div className="pb-6">
        {wasOpened ? (
          <LazySection
            code={calendarSection}
            resting={<CalendarLoading />}
            missing="Your calendar could not be loaded"
          >
            {(CalendarSection) => <CalendarSection userId={userId} />}
          </LazySection>
        ) : null}
      </div>
    </details>
  );
}
