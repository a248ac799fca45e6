/** Choosing the dates of a package: the calendar works on one of its places at a time. */

import { useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { serverNow } from '@/lib/clock';
import { connectGetKey } from '@/lib/connect-get';
import type { SlotsInput } from '@/lib/fetch-slots';
import { BOOKING, readSlots } from '@/lib/read-slots';
import { formatShortDate, formatTime, localDate, type Zone } from '@/lib/time';
import {
  chosenStarts,
  countWord,
  nextEmpty,
  placesOf,
  problemOf,
  withStart,
} from '../package-dates';
import { addDays, isLost, WEEK_DAYS } from '../slots';
import { suggestDates } from '../suggest-dates';
import type { TimeMoves } from './use-schedule';

/** How far ahead times are looked for: as many days as one request may ask for. */
const SUGGEST_DAYS = 42;

type DatesChoice = {
  /** Local date in the practice's zone, or empty. */
  date: string;
  /** The starts in their places, empty where none is chosen. */
  slots: readonly string[];
};

export type DatesMoves = { url: DatesChoice; replace: (patch: Partial<DatesChoice>) => void };

type Asked = {
  moves: DatesMoves;
  offer: Package;
  serviceId: string;
  /** Empty for anyone. */
  practitionerId: string;
  zone: Zone;
};

/** The date that the calendar shows for a place without a start: a week after the one before. */
function dateFor(places: readonly string[], index: number, zone: Zone): string {
  const before = chosenStarts(places.slice(0, index)).at(-1);
  return before ? addDays(localDate(new Date(before), zone.timeZone), WEEK_DAYS) : '';
}

type Read = (fromDate: string, days: number) => ReturnType<typeof readSlots>;

/** Reads free days anew. */
function useSlotsReader(serviceId: string, practitionerId: string): Read {
  const queryClient = useQueryClient();
  const transport = useTransport();
  return useCallback(
    (fromDate, days) => {
      const whose = { serviceId, ...(practitionerId && { practitionerId }) };
      const range: SlotsInput = { ...whose, fromDate, days };
      return queryClient.fetchQuery({
        queryKey: connectGetKey(BOOKING, 'ListSlots', range),
        queryFn: ({ signal }) => readSlots(range, { transport, signal }),
        staleTime: 0,
      });
    },
    [queryClient, transport, serviceId, practitionerId],
  );
}

/**
 * The calendar's own moves: what it calls the slot is the start in the active place. `onChosen` is
 * called before a start is put there.
 */
function usePlaceMoves(
  { url, replace }: DatesMoves,
  places: readonly string[],
  active: number,
  onChosen: () => void,
): TimeMoves {
  const change = useCallback(
    (patch: Parameters<TimeMoves['replace']>[0]) => {
      const { slot, ...rest } = patch;
      if (slot === undefined) {
        replace(rest);
        return;
      }
      if (slot !== '') onChosen();
      replace({ ...rest, slots: withStart(places, active, slot) });
    },
    [replace, places, active, onChosen],
  );
  return useMemo(
    () => ({ url: { date: url.date, slot: places[active] ?? '' }, replace: change }),
    [url.date, places, active, change],
  );
}

/** Dates at one hour from the first chosen one on, else from the first free one. */
async function suggestion(read: Read, places: readonly string[], offer: Package, zone: Zone) {
  const first = chosenStarts(places)[0] ?? '';
  const fromDate = first ? localDate(new Date(first), zone.timeZone) : '';
  const { days } = await read(fromDate, SUGGEST_DAYS);
  const here = { zone, now: serverNow() };
  const found = suggestDates(days, first, offer, here);
  return found.length > 0 ? found : suggestDates(days, '', offer, here);
}

/** The places whose time is gone, after a refusal. */
async function lostPlaces(read: Read, places: readonly string[], zone: Zone): Promise<number[]> {
  const gone = async (place: string): Promise<boolean> => {
    if (!place) return false;
    const at = new Date(place);
    if (at.getTime() <= serverNow()) return true;
    const { days } = await read(localDate(at, zone.timeZone), 1);
    return isLost(days, place, zone);
  };
  const all = await Promise.all(places.map(gone));
  return places.flatMap((_, index) => (all[index] ? [index] : []));
}

export function usePackageDates({ moves, offer, serviceId, practitionerId, zone }: Asked) {
  const { url, replace } = moves;
  const [wanted, setActive] = useState(0);
  const [told, setTold] = useState('');
  const [isSuggesting, setSuggesting] = useState(false);
  const read = useSlotsReader(serviceId, practitionerId);
  const { sessions } = offer;
  const active = Math.min(wanted, sessions - 1);
  const places = useMemo(() => placesOf(url.slots, sessions), [url.slots, sessions]);
  // What was said of the dates before no longer holds.
  const forget = useCallback(() => setTold(''), []);
  const inner = usePlaceMoves(moves, places, active, forget);

  function choosePlace(index: number): void {
    setActive(index);
    replace({ date: places[index] ? '' : dateFor(places, index, zone) });
  }

  async function suggest(): Promise<void> {
    setSuggesting(true);
    try {
      const slots = await suggestion(read, places, offer, zone);
      if (slots.length > 0) replace({ slots, date: '' });
      setTold(toldOf(slots, offer, zone));
    } catch {
      setTold('The free times could not be read. Please try again, or choose the dates yourself.');
    } finally {
      setSuggesting(false);
    }
  }

  /** Empties places; says the start that the first of them had, which is chosen again. */
  function lose(lost: readonly number[]): string | undefined {
    setTold(lostWords(lost));
    const [first] = lost;
    const start = first === undefined ? undefined : places[first];
    if (first === undefined || !start) return undefined;
    setActive(first);
    replace({
      slots: places.map((place, index) => (lost.includes(index) ? '' : place)),
      date: localDate(new Date(start), zone.timeZone),
    });
    return start;
  }

  return {
    places,
    active,
    setActive: choosePlace,
    suggest: () => void suggest(),
    isSuggesting,
    told,
    problem: problemOf(places, offer, zone),
    /** The next place to choose a time for. */
    next: nextEmpty(places, active),
    inner,
    /** Whether these are the starts of all places, earliest first. */
    areChosen: (starts: readonly string[]) => chosenStarts(places).join() === starts.join(),
    findLost: () => lostPlaces(read, places, zone),
    lose,
  };
}

/** "session 2", "sessions 1 and 3" */
function numbersOf(places: readonly number[]): string {
  const numbers = places.map((index) => index + 1);
  const last = numbers.pop();
  return numbers.length === 0 ? `session ${last}` : `sessions ${numbers.join(', ')} and ${last}`;
}

function lostWords(lost: readonly number[]): string {
  if (lost.length === 0) {
    return 'One of your times could not be kept. Please go on again, or choose other dates.';
  }
  return `Please choose another time for ${numbersOf(lost)}. Your other dates are kept.`;
}

function toldOf(slots: readonly string[], offer: Package, zone: Zone): string {
  if (slots.length === 0) {
    const count = countWord(offer.sessions);
    return `No ${count} dates at one hour are free in the coming weeks. Please choose them yourself.`;
  }
  const dates = slots.map((slot) => new Date(slot));
  const named = dates.map((at) => `${formatShortDate(at, zone)}, ${formatTime(at, zone)}`);
  return `Suggested: ${named.join('; ')}. You can change each of them.`;
}

export type PackageDates = ReturnType<typeof usePackageDates>;
