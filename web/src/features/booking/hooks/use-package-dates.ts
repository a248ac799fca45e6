/** Choosing the dates of a package: the calendar works on one of its places at a time. */
import { useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { connectGetKey } from '@/lib/connect-get';
import type { SlotsInput } from '@/lib/fetch-slots';
import { BOOKING, readSlots } from '@/lib/read-slots';
import { formatShortDate, formatTime, localDate, type Zone } from '@/lib/time';
import {
  chosenStarts,
  countWord,
  type DatesProblem,
  nextEmpty,
  placesOf,
  problemOf,
  suggestDates,
  withStart,
} from '../package-dates';
import { addDays, isLost, WEEK_DAYS } from '../slots';
import type { FlowMoves } from './use-flow-url';

/** How far ahead times are looked for: as many days as one request may ask for. */
const SUGGEST_DAYS = 42;

type Asked = {
  moves: FlowMoves;
  /** The chosen package; nothing for a single session. */
  offer: Package | undefined;
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

/** Reads free days anew. */
function useSlotsReader(serviceId: string, practitionerId: string) {
  const queryClient = useQueryClient();
  const transport = useTransport();
  return useCallback(
    (fromDate: string, days: number) => {
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

/** The calendar's own moves: what it calls the slot is the start in the active place. */
function usePlaceMoves(
  { url, push, replace }: FlowMoves,
  places: readonly string[],
  active: number,
): FlowMoves {
  const change = useCallback(
    (patch: Parameters<FlowMoves['replace']>[0]) => {
      const { slot, ...rest } = patch;
      if (slot === undefined) replace(rest);
      else replace({ ...rest, slots: withStart(places, active, slot) });
    },
    [replace, places, active],
  );
  return useMemo(
    () => ({ url: { ...url, slot: places[active] ?? '' }, push, replace: change }),
    [url, places, active, push, change],
  );
}

export function usePackageDates({ moves, offer, serviceId, practitionerId, zone }: Asked) {
  const { url, replace } = moves;
  const [active, setActive] = useState(0);
  const [told, setTold] = useState('');
  const [isSuggesting, setSuggesting] = useState(false);
  const read = useSlotsReader(serviceId, practitionerId);
  const sessions = offer?.sessions ?? 0;
  const places = useMemo(() => placesOf(url.slots, sessions), [url.slots, sessions]);

  const inner = usePlaceMoves(moves, places, active);

  function choosePlace(index: number): void {
    setActive(index);
    replace({ date: places[index] ? '' : dateFor(places, index, zone) });
  }

  async function suggest(): Promise<void> {
    if (!offer) return;
    setSuggesting(true);
    try {
      const first = chosenStarts(places)[0] ?? '';
      const fromDate = first ? localDate(new Date(first), zone.timeZone) : '';
      const { days } = await read(fromDate, SUGGEST_DAYS);
      const found = suggestDates(days, first, offer, zone);
      const slots = found.length > 0 ? found : suggestDates(days, '', offer, zone);
      if (slots.length > 0) replace({ slots, date: '' });
      setTold(toldOf(slots, offer, zone));
    } catch {
      setTold('The free times could not be read. Please try again, or choose the dates yourself.');
    } finally {
      setSuggesting(false);
    }
  }

  /** After a refusal: the first place whose time is gone, which is then chosen again. */
  async function findLost(): Promise<string | undefined> {
    const dates = places.map((place) => place && localDate(new Date(place), zone.timeZone));
    const lists = await Promise.all(dates.map((date) => (date ? read(date, 1) : undefined)));
    const lost = places.findIndex((place, at) => isLost(lists[at]?.days ?? [], place, zone));
    if (lost < 0) return undefined;
    setActive(lost);
    return places[lost];
  }

  const problem: DatesProblem | undefined = offer ? problemOf(places, offer, zone) : undefined;
  return {
    places,
    active: Math.min(active, Math.max(0, sessions - 1)),
    setActive: choosePlace,
    suggest: () => void suggest(),
    isSuggesting,
    told,
    problem,
    /** The next place to choose a time for. */
    next: nextEmpty(places, active),
    inner: offer ? inner : moves,
    findLost,
    /** Puts another start, or none, into a place whose start is gone. */
    clear: (instant: string) =>
      replace({
        slots: places.map((place) => (place === instant ? '' : place)),
        date: localDate(new Date(instant), zone.timeZone),
      }),
  };
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
