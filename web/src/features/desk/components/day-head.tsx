/** Which day is shown, the ways to others, and whose. */
import { AppLink } from '@/components/ui/app-link';
import { PageHeading } from '@/components/ui/page-heading';
import { RadioGroup } from '@/components/ui/radio-group';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatCalendarDate } from '@/lib/time';
import { dayAfter } from '../model/day';

export function dayPath(date: string, today: string): string {
  return date === today ? '/desk' : `/desk/day/${date}`;
}

const STEP =
  'grid size-11 place-items-center rounded-full border border-control bg-surface text-ink ' +
  'no-underline hover:border-brand hover:text-brand';

type StepProps = { to: string; label: string; sign: string; step: 'before' | 'after' };

function Step({ to, label, sign, step }: StepProps) {
  return (
    <AppLink to={to} aria-label={label} data-step={step} className={STEP}>
      <span aria-hidden="true">{sign}</span>
    </AppLink>
  );
}

type DayHeadProps = {
  date: string;
  today: string;
  practitioners: readonly Practitioner[];
  practitionerId: string;
  onPractitioner: (id: string) => void;
};

export function DayHead(props: DayHeadProps) {
  const { date, today, practitioners, practitionerId, onPractitioner } = props;
  const isToday = date === today;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <PageHeading
          className="gap-0! [&_h1]:text-h2"
          eyebrow={isToday ? formatCalendarDate(date) : 'Day'}
        >
          {isToday ? 'Today' : formatCalendarDate(date)}
        </PageHeading>
        <div className="flex items-center gap-2">
          <Step
            to={dayPath(dayAfter(date, -1), today)}
            label="The day before"
            sign="‹"
            step="before"
          />
          {isToday ? null : (
            <AppLink
              to="/desk"
              className="inline-flex min-h-11 items-center rounded-full px-3 font-semibold text-brand hover:underline"
            >
              Today
            </AppLink>
          )}
          <Step to={dayPath(dayAfter(date), today)} label="The day after" sign="›" step="after" />
        </div>
      </div>
      {practitioners.length > 1 ? (
        <RadioGroup
          legend="Whose day"
          legendHidden
          name="practitioner"
          options={[
            { value: '', label: 'All' },
            ...practitioners.map((one) => ({ value: one.practitionerId, label: one.name })),
          ]}
          value={practitionerId}
          onChange={onPractitioner}
        />
      ) : null}
    </div>
  );
}
