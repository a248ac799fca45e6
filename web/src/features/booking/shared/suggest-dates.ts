/** A suggestion for the dates of a package: weekly at one hour. */
import type { SlotDay } from '@/gen/booking/v1/booking_service_pb';
import type { CancellationPolicy } from '@/gen/common/v1/cancellation_pb';
import { isLate } from '@/lib/cancellation';
import { formatClock, type Zone } from '@/lib/time';
import type { PackageTerms } from './package-dates';
import { addDays, daysBetween, startsOf, WEEK_DAYS } from './slots';

/** A package, as far as a suggestion is concerned. */
type SuggestTerms = PackageTerms & { cancellationPolicy?: CancellationPolicy };

type FreeStart = { instant: string; date: string; clock: string };

function freeStarts(days: readonly SlotDay[], zone: Zone): FreeStart[] {
  return days.flatMap((day) =>
    startsOf(day)
      .filter((start) => start.available)
      .map(({ instant, at }) => ({ instant, date: day.date, clock: formatClock(at, zone) })),
  );
}

/** From one start on, each time a week later at its hour, or on the next day after that is free. */
function from(first: FreeStart, free: readonly FreeStart[], sessions: number): FreeStart[] {
  const chosen = [first];
  while (chosen.length < sessions) {
    const wanted = addDays(chosen.at(-1)?.date ?? first.date, WEEK_DAYS);
    const next = free.find(({ date, clock }) => clock === first.clock && date >= wanted);
    if (!next) break;
    chosen.push(next);
  }
  return chosen;
}

/**
 * Starts for all sessions, weekly at one hour, from `first` or the earliest free one on. A week in
 * which the hour is not free is moved by some days; a start from which all weeks are free is
 * preferred, and before that one that can still be cancelled for a refund. Nothing where no hour has
 * enough days.
 */
export function suggestDates(
  days: readonly SlotDay[],
  first: string,
  terms: SuggestTerms,
  { zone, now }: { zone: Zone; now: number },
): string[] {
  const free = freeStarts(days, zone);
  const begins = first ? free.filter(({ instant }) => instant === first) : free;
  const isEarly = ([begin]: readonly FreeStart[]) =>
    begin !== undefined && !isLate(new Date(begin.instant), terms.cancellationPolicy, now);
  const fits = (chosen: readonly FreeStart[]) => {
    const [begin, end] = [chosen[0], chosen.at(-1)];
    const isWhole = chosen.length === terms.sessions && begin && end;
    return isWhole && daysBetween(begin.date, end.date) <= terms.withinDays;
  };
  const all = begins.map((begin) => from(begin, free, terms.sessions)).filter(fits);
  const isWeekly = (chosen: readonly FreeStart[]) =>
    chosen.every(({ date }, index) => date === addDays(chosen[0]?.date ?? '', index * WEEK_DAYS));
  const early = all.filter(isEarly);
  const preferred = early.length > 0 ? early : all;
  const best = preferred.find(isWeekly) ?? preferred[0];
  return best?.map(({ instant }) => instant) ?? [];
}
