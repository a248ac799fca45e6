import { Button } from '@/components/ui/button';
import { RadioGroup } from '@/components/ui/radio-group';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatShortDate, formatTime, type Zone } from '@/lib/time';
import type { PackageDates as Dates } from '../hooks/use-package-dates';
import { countWord, type DatesProblem } from '../package-dates';

type PackageDatesProps = {
  offer: Package;
  dates: Dates;
  zone: Zone;
  /** What is said of missing dates, once the client wanted to go on without them. */
  missing?: string | undefined;
};

/** What is wrong with the dates together. */
function wordsOf(
  problem: DatesProblem | undefined,
  offer: Package,
  missing: string | undefined,
): string | undefined {
  if (problem === 'missing') return missing;
  if (problem === 'same-date') return 'Please choose another date for each session.';
  if (problem === 'too-far') {
    return `Please choose dates that are at most ${offer.withinDays} days apart.`;
  }
  return undefined;
}

function words(instant: string, zone: Zone): string {
  const at = new Date(instant);
  return `${formatShortDate(at, zone)}, ${formatTime(at, zone)}`;
}

/** The dates of a package: each can be chosen below and changed until the payment. */
export function PackageDates({ offer, dates, zone, missing }: PackageDatesProps) {
  const { places, active, setActive, suggest, isSuggesting, told, problem, next } = dates;
  const count = countWord(offer.sessions);
  return (
    <div className="flex flex-col gap-4" data-testid="package-dates">
      <RadioGroup
        legend={`Your ${count} dates`}
        name="package-date"
        value={String(active)}
        onChange={(value) => setActive(Number(value))}
        hint="Pick one to choose or change its time below. You can change them until you pay."
        error={wordsOf(problem, offer, missing)}
        options={places.map((place, index) => ({
          value: String(index),
          label: `Session ${index + 1}`,
          note: place ? words(place, zone) : 'Not chosen yet',
        }))}
      />
      <div className="flex flex-wrap gap-3">
        <Button
          variant="secondary"
          size="sm"
          busy={isSuggesting}
          busyText="Looking for times…"
          onClick={suggest}
        >
          Suggest {count}
        </Button>
        {next === undefined ? null : (
          <Button variant="quiet" size="sm" onClick={() => setActive(next)}>
            Choose session {next + 1}
          </Button>
        )}
      </div>
      <p role="status" className="text-ink-2 empty:hidden">
        {told}
      </p>
    </div>
  );
}
