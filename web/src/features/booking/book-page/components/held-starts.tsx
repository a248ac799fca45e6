import type { ReactNode } from 'react';
import { ownStarts } from '../../shared/booking-state';
import { useBooking } from '../../shared/hooks/use-booking';

type HeldStartsProps = {
  bookingId: string;
  userId: string;
  serviceId: string;
  /** Empty for anyone. */
  practitionerId: string;
  /** What counts as held until the booking is known. */
  pending: readonly string[];
  children: (own: readonly string[]) => ReactNode;
};

/** Hands on the starts of a held booking that lie among the free times of one service. */
export function HeldStarts(props: HeldStartsProps) {
  const { bookingId, userId, serviceId, practitionerId, pending, children } = props;
  const { booking, isPending } = useBooking(bookingId, userId);
  return children(isPending ? pending : ownStarts(booking, serviceId, practitionerId));
}
