/** Addresses of the booking flow. It is a document of its own, so these are for plain anchors. */

export function bookingLink(serviceId: string): string {
  return `/booking-flow?${new URLSearchParams({ service: serviceId })}`;
}

export function bookingSlotLink(serviceId: string, startsAt: Date): string {
  const query = { service: serviceId, slot: startsAt.toISOString() };
  return `/booking-flow?${new URLSearchParams(query)}`;
}
