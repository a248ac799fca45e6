/** Addresses that lead to a booking. They are documents of their own, so use plain anchors. */

/** Where a booking of a service begins, whichever page that is. */
export function bookLink(serviceId: string): string {
  return `/book?${new URLSearchParams({ service: serviceId })}`;
}

export function bookingLink(serviceId: string): string {
  return `/booking-flow?${new URLSearchParams({ service: serviceId })}`;
}

export function bookingSlotLink(serviceId: string, startsAt: Date): string {
  const query = { service: serviceId, slot: startsAt.toISOString() };
  return `/booking-flow?${new URLSearchParams(query)}`;
}
