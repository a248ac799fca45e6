/** Addresses that lead to a booking. They are documents of their own, so use plain anchors. */

/** Where a booking of a service begins, whichever page that is. */
export function bookLink(serviceId: string): string {
  return `/book?${new URLSearchParams({ service: serviceId })}`;
}

/** The practitioner is named where one was chosen. */
export function bookingLink(serviceId: string, practitioner = ''): string {
  const query = { service: serviceId, ...(practitioner && { practitioner }) };
  return `/booking-flow?${new URLSearchParams(query)}`;
}

export function bookingSlotLink(serviceId: string, startsAt: Date, practitioner = ''): string {
  return `${bookingLink(serviceId, practitioner)}&slot=${encodeURIComponent(startsAt.toISOString())}`;
}
