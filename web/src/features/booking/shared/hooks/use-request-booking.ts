/** From the calendar to a held time: one request, however often the button is pressed. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Booking, BookingService, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { errorReason } from '@/lib/errors';
import type { ShownTexts } from '@/lib/legal-text';
import { useShownTexts } from '@/lib/practice';
import { instantsOf, isLive, isPlaced } from '../booking-state';
import type { ContactValues } from '../draft';
import { isFree } from '../free-session';
import { readHeld, writeHeld } from '../held-booking';
import { fingerprint, idempotencyKey, renewIdempotencyKey } from '../request-idempotency-key';
import { SLOTS_KEY } from '../slots-key';

/** A consent that was given on this page. */
export type GivenConsent = {
  version: string;
  fullName: string;
  email: string;
  signature: string;
};

export type Wish = {
  serviceId: string;
  /** Empty for a single session. */
  packageId: string;
  /** The starts of all sessions, earliest first. */
  instants: readonly string[];
  /** Empty for anyone. */
  practitionerId: string;
  inPerson: boolean;
  contact: ContactValues;
  /** The consent to online sessions, where it was asked for. */
  consent?: GivenConsent | undefined;
  /** What was scheduled in the provider's widget at this time. */
  scheduledEventUri?: string | undefined;
};

/** Why another time is refused while the earlier one is still held. */
const IN_THE_WAY = new Set(['TOO_MANY_HOLDS', 'OVERLAPS_OWN_SESSION']);

/** What can be gone on with: a held time, or a session that costs nothing and is confirmed at once. */
function isGranted(booking: Booking): boolean {
  return isLive(booking) || (isFree(booking) && isPlaced(booking));
}

/** A hash of the whole request. */
export function contentOf(wish: Wish): string {
  const { contact, consent } = wish;
  const parts = [wish.serviceId, wish.instants[0] ?? '', String(wish.inPerson)];
  const typed = [contact.firstName, contact.lastName, contact.email, contact.phone, contact.notes];
  const wanted = wish.practitionerId ? [wish.practitionerId] : [];
  const more = wish.packageId ? [wish.packageId, ...wish.instants.slice(1)] : [];
  const signed = consent ? Object.values(consent) : [];
  const event = wish.scheduledEventUri ? [wish.scheduledEventUri] : [];
  const typedTexts = typed.map((text) => text.trim());
  return [...parts, ...typedTexts, ...wanted, ...more, ...signed, ...event].join('\u0000');
}

/** Whether a booking is of the same sessions. */
export function isOfSameTimes(
  booking: Booking,
  wish: Pick<Wish, 'packageId' | 'instants'>,
): boolean {
  const same = (booking.package?.packageId ?? '') === wish.packageId;
  return same && instantsOf(booking).join() === wish.instants.join();
}

/** Whether one of its times is wanted again, so that it has to be given back first. */
function sharesATime(booking: Booking, wish: Wish): boolean {
  return instantsOf(booking).some((instant) => wish.instants.includes(instant));
}

/** The held booking can stay as it is when nothing was changed, or when it may not be given back. */
export function keepsHold(held: Booking | undefined, wish: Wish): boolean {
  if (!held || !isLive(held) || held.serviceId !== wish.serviceId) return false;
  if (!isOfSameTimes(held, wish)) return false;
  if (wish.practitionerId && held.practitionerId !== wish.practitionerId) return false;
  return held.checkoutOpened || readHeld()?.content === fingerprint(contentOf(wish));
}

function requestOf(wish: Wish, shown: ShownTexts) {
  const { contact, consent } = wish;
  return {
    idempotencyKey: idempotencyKey(contentOf(wish)),
    serviceId: wish.serviceId,
    startsAt: timestampFromDate(new Date(wish.instants[0] ?? '')),
    packageId: wish.packageId,
    furtherStartsAt: wish.instants.slice(1).map((at) => timestampFromDate(new Date(at))),
    practitionerId: wish.practitionerId,
    mode: wish.inPerson ? SessionMode.IN_PERSON : SessionMode.ONLINE,
    contact: {
      firstName: contact.firstName.trim(),
      lastName: contact.lastName.trim(),
      email: contact.email.trim(),
      phone: contact.phone.trim(),
      notes: contact.notes.trim(),
    },
    termsAccepted: true,
    shown,
    scheduledEventUri: wish.scheduledEventUri ?? '',
    ...(consent && { consent: { ...consent, acceptedDeclaration: true } }),
  };
}

export function useRequestBooking() {
  const transport = useTransport();
  const client = useMemo(() => createClient(BookingService, transport), [transport]);

  const shownTexts = useShownTexts();

  async function request(wish: Wish): Promise<Booking> {
    const answer = await client.requestBooking(requestOf(wish, shownTexts(wish.packageId)));
    if (!answer.booking) throw new Error('The answer holds no booking.');
    return answer.booking;
  }

  async function giveBack(held: Booking): Promise<void> {
    await client.releaseBooking({ bookingId: held.bookingId, idempotencyKey: releaseKey(held) });
    writeHeld(null);
  }

  async function requestLive(wish: Wish): Promise<Booking> {
    try {
      const booking = await request(wish);
      if (isGranted(booking)) return booking;
    } catch (error) {
      if (errorReason(error) !== 'IDEMPOTENCY_KEY_REUSED') throw error;
    }
    // The same request was granted earlier and that booking has ended: it needs a new key.
    renewIdempotencyKey();
    return request(wish);
  }

  /** The other time is taken before the old one is given back, so that none is lost. */
  async function change(wish: Wish, held: Booking): Promise<Booking> {
    if (sharesATime(held, wish)) {
      await giveBack(held);
      return requestLive(wish);
    }
    try {
      const booking = await requestLive(wish);
      await giveBack(held).catch(() => undefined);
      return booking;
    } catch (error) {
      if (!IN_THE_WAY.has(errorReason(error))) throw error;
      await giveBack(held);
      return requestLive(wish);
    }
  }

  return useMutation({
    mutationFn: async ({ wish, held }: { wish: Wish; held: Booking | undefined }) => {
      const givable = held && isLive(held) && !held.checkoutOpened;
      const booking = givable ? await change(wish, held) : await requestLive(wish);
      const content = fingerprint(contentOf(wish));
      writeHeld({ bookingId: booking.bookingId, content, practitionerId: wish.practitionerId });
      return booking;
    },
  });
}

/** Giving back happens once per booking, so its id makes the key. */
export function releaseKey(booking: Booking): string {
  return `release-${booking.bookingId}`;
}

/** Gives a held time back while that is allowed. A failure does not keep the page open. */
export function useReleaseBooking() {
  const transport = useTransport();
  const queryClient = useQueryClient();
  const client = useMemo(() => createClient(BookingService, transport), [transport]);
  return async (booking: Booking): Promise<Booking | undefined> => {
    if (!isLive(booking) || booking.checkoutOpened) return undefined;
    try {
      const request = { bookingId: booking.bookingId, idempotencyKey: releaseKey(booking) };
      const answer = await client.releaseBooking(request);
      writeHeld(null);
      renewIdempotencyKey();
      // What was read before shows the time as taken, and the calendar would call it lost.
      queryClient.removeQueries({ queryKey: SLOTS_KEY });
      return answer.booking;
    } catch {
      // The hold ends by itself; the calendar knows it as the customer's own until then.
      return undefined;
    }
  };
}
