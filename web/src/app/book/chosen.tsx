import { ChosenTime } from '@/features/booking/components/chosen-time';
import type { Book } from './use-book';

/** The service and the time that the address names. */
export function Chosen({ book }: { book: Book }) {
  const { service, moves, zone, practitionerId } = book;
  const { slot } = moves.url;
  if (!service || !slot) return null;
  return (
    <ChosenTime service={service} at={new Date(slot)} zone={zone} practitionerId={practitionerId} />
  );
}
