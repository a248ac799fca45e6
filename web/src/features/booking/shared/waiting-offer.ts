/** A time of the wait list that is held for one client: until when, and where it is taken. */
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { toInstant } from '@/lib/instant';
import { formatShortDate, formatTime, localDate, toDate, type Zone } from '@/lib/time';
import { queryText } from './choices';

/** What an entry has been offered, as long as it is held. */
export function openOffer({ offer }: Waiting, now: number): WaitingOffer | undefined {
  if (!offer?.startsAt || !offer.heldUntilAt) return undefined;
  return toDate(offer.heldUntilAt).getTime() > now ? offer : undefined;
}

/** When an offered session starts, as the address writes it. */
export function offeredStart({ startsAt }: WaitingOffer): string {
  return startsAt ? toInstant(toDate(startsAt)) : '';
}

/** Where the offered time is booked. */
export function takePath(serviceId: string, offer: WaitingOffer): string {
  const query = new URLSearchParams({
    service: serviceId,
    slot: offeredStart(offer),
    practitioner: offer.practitionerId,
    offer: offer.offerId,
  });
  return `/booking-flow?${queryText(query)}`;
}

/** "1:05 pm IST today", "8:30 am IST tomorrow", "Thu, 26 Nov, 8:30 am IST" */
export function heldWords(until: Date, zone: Zone, now: number): string {
  const day = (ms: number) => localDate(new Date(ms), zone.timeZone);
  const date = day(until.getTime());
  const clock = formatTime(until, zone);
  if (date === day(now)) return `${clock} today`;
  if (date === day(now + 86_400_000)) return `${clock} tomorrow`;
  return `${formatShortDate(until, zone)}, ${clock}`;
}
