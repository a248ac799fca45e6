/** The days and times on offer around the chosen date, and what became of the chosen time. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ListSlotsResponse, SlotDay } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { localDate, toDate, type Zone } from '@/lib/time';
import { addDays, isLost, nearestFree, type Start, startsOf, WEEK_DAYS, weekOf } from '../slots';
import { type SlotsSource, useSlots } from './use-slots';

const SUGGESTIONS = 3;

export type LostTime = {
  at: Date;
  reason: string;
  /** The server refused it just now, which has to be seen at once. */
  refused: boolean;
  suggestions: Start[];
};

type Gone = { instant: string; reason: string; refused: boolean };

/** The choice of one start, and the day that is looked at. */
type TimeChoice = {
  /** Local date in the practice's zone, or empty. */
  date: string;
  /** The chosen start, or empty. */
  slot: string;
};

export type TimeMoves = { url: TimeChoice; replace: (patch: Partial<TimeChoice>) => void };

type Asked = {
  serviceId: string;
  /** Empty for anyone. */
  practitionerId: string;
  moves: TimeMoves;
  /** The starts that this customer holds already; they are listed as taken and are not lost. */
  own: readonly string[];
  /** Looking at another day keeps the chosen time, as with a package whose dates are changed. */
  keepsChoice?: boolean;
  /** Where the starts are read, if not among those on offer for anyone. */
  source?: SlotsSource;
};

/** The date to show: the chosen one, that of the chosen time, or the first with a free time. */
function shownDate(url: TimeChoice, first: ListSlotsResponse | undefined, zone: string) {
  if (url.date) return url.date;
  if (url.slot) return localDate(new Date(url.slot), zone);
  if (first?.nextAvailableAt) return localDate(toDate(first.nextAvailableAt), zone);
  return first?.days[0]?.date ?? '';
}

type Watched = {
  moves: TimeMoves;
  own: readonly string[];
  days: SlotDay[] | undefined;
  zone: Zone;
};

/** A chosen time that is gone, and the free ones that are closest to it. */
function useLostTime({ moves, own, days, zone }: Watched) {
  const { url, replace } = moves;
  const [gone, setGone] = useState<Gone | undefined>();

  /** Says that a time is gone, without changing the choice. */
  const tellLost = useCallback((instant: string, reason: string) => {
    setGone({ instant, reason, refused: true });
  }, []);
  const forget = useCallback(() => setGone(undefined), []);
  const lose = useCallback(
    (instant: string, reason = 'SLOT_TAKEN', refused = false) => {
      setGone({ instant, reason, refused });
      // Its day stays in sight, because the closest times are there.
      replace({ slot: '', date: localDate(new Date(instant), zone.timeZone) });
    },
    [replace, zone.timeZone],
  );

  const isOwn = own.includes(url.slot);
  useEffect(() => {
    if (!days || !url.slot || isOwn) return;
    if (isLost(days, url.slot, zone)) lose(url.slot);
  }, [days, url.slot, isOwn, zone, lose]);

  const at = gone ? new Date(gone.instant) : undefined;
  const suggestions = at ? nearestFree(days ?? [], at, SUGGESTIONS) : [];
  const lost: LostTime | undefined = gone && at ? { ...gone, at, suggestions } : undefined;
  return { lost, forget, tellLost, lose };
}

export function useSchedule(asked: Asked) {
  const { serviceId, practitionerId, moves, own, keepsChoice = false, source } = asked;
  const { url, replace } = moves;
  const { timeZone, label } = usePracticeZone();
  const zone = useMemo(() => ({ timeZone, label }), [timeZone, label]);
  const whose = { serviceId, ...(practitionerId && { practitionerId }) };
  const first = useSlots({ ...whose, fromDate: '', days: WEEK_DAYS }, source);
  const today = first.data?.days[0]?.date ?? '';
  const date = shownDate(url, first.data, zone.timeZone);
  const week = today && date ? weekOf(today, date) : 0;
  const fromDate = today ? addDays(today, week * WEEK_DAYS) : '';
  const later = useSlots(week > 0 ? { ...whose, fromDate, days: WEEK_DAYS } : undefined, source);
  const shown = week > 0 ? later : first;
  const days = shown.data?.days;

  const { lost, forget, tellLost, lose } = useLostTime({ moves, own, days, zone });

  const chooseDate = useCallback(
    (next: string) => replace({ date: next, ...(!keepsChoice && { slot: '' }) }),
    [replace, keepsChoice],
  );
  const chooseTime = useCallback(
    (instant: string) => {
      forget();
      replace({ slot: instant, date: localDate(new Date(instant), zone.timeZone) });
    },
    [forget, replace, zone.timeZone],
  );
  const refetch = useCallback(() => {
    void first.refetch();
    if (week > 0) void later.refetch();
  }, [first.refetch, later.refetch, week]);

  const lastDate = first.data?.lastDate ?? '';

  return {
    whose,
    source,
    zone,
    today,
    lastDate,
    date,
    days,
    starts: startsOf(days?.find((day) => day.date === date)),
    nextAvailableAt: first.data?.nextAvailableAt ? toDate(first.data.nextAvailableAt) : undefined,
    previousWeek: week > 0 ? addDays(fromDate, -WEEK_DAYS) : undefined,
    nextWeek: nextWeekOf(fromDate, lastDate),
    lost,
    error: shown.error ?? first.error,
    chooseDate,
    chooseTime,
    lose,
    tellLost,
    refetch,
  };
}

function nextWeekOf(fromDate: string, lastDate: string): string | undefined {
  if (!fromDate) return undefined;
  const next = addDays(fromDate, WEEK_DAYS);
  return !lastDate || next <= lastDate ? next : undefined;
}

export type Schedule = ReturnType<typeof useSchedule>;
