import { Optional } from '@/components/optional';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { classes } from '@/lib/classes';
import { fewMarks, lettersOf } from '@/lib/letters';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, toDate } from '@/lib/time';
import { relativeDate } from '../relative-date';

const TONES = [
  'bg-brand-soft text-brand',
  'bg-clay-soft text-clay',
  'bg-plum-soft text-plum',
] as const;

/** The same name has the same colour on each page. */
function toneOf(name: string): string {
  const sum = [...name].reduce((before, letter) => before + (letter.codePointAt(0) ?? 0), 0);
  return TONES[sum % TONES.length] ?? TONES[0];
}

function initialOf(name: string): string {
  const [first] = lettersOf(fewMarks(name.trim()));
  return first?.toUpperCase() ?? '';
}

/** "3 days ago", with the date itself as its tooltip. */
function WrittenAt({ review }: { review: Review }) {
  const zone = usePracticeZone();
  if (!review.createdAt) return null;
  const at = toDate(review.createdAt);
  return (
    <time dateTime={at.toISOString()} title={formatDate(at, zone)}>
      {relativeDate(at, zone)}
    </time>
  );
}

/** Who wrote it, about what, and when. */
export function Writer({ review, className }: { review: Review; className?: string }) {
  return (
    <div className={classes('flex min-w-0 items-center gap-3', className)}>
      <span
        aria-hidden="true"
        className={classes(
          'grid size-11 shrink-0 place-items-center rounded-full font-display font-semibold',
          toneOf(review.name),
        )}
      >
        {initialOf(review.name)}
      </span>
      <div className="min-w-0 leading-snug">
        <p dir="auto" className="overflow-clip font-semibold">
          {fewMarks(review.name)}
        </p>
        <div className="overflow-hidden text-sm text-ink-2">
          {/* The dot is between the two on one line, and is cut off where they take two lines. */}
          <p className="-ml-3.5 flex flex-wrap *:pl-3.5">
            <span>{review.service} </span>
            <span className="relative before:absolute before:left-1.25 before:content-['·']">
              <Optional>
                <WrittenAt review={review} />
              </Optional>
            </span>
          </p>
        </div>
      </div>
    </div>
  );
}
