import { useLocation } from 'react-router';
import { serverNow } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { useHydrated } from '@/lib/use-hydrated';
import { parseBookingTime } from '../countdown';

export type Asked =
  | { kind: 'nothing' }
  | { kind: 'booking'; bookingId: string }
  | { kind: 'time'; bookedAt: Date; serviceId: string }
  | { kind: 'unreadable' };

/** What the query asks about; nothing before hydration, because the page is rendered without it. */
export function useAsked(): Asked {
  const { search } = useLocation();
  const { timeZone } = usePracticeZone();
  if (!useHydrated()) return { kind: 'nothing' };
  const query = new URLSearchParams(search);
  const bookingId = query.get('b') ?? '';
  if (bookingId) return { kind: 'booking', bookingId };
  const written = query.get('bookingTime') ?? '';
  if (!written) return { kind: 'nothing' };
  const bookedAt = parseBookingTime(written, serverNow(), timeZone);
  if (!bookedAt) return { kind: 'unreadable' };
  return { kind: 'time', bookedAt, serviceId: query.get('service') ?? '' };
}
