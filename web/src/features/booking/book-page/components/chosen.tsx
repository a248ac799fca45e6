import type { Book } from '../hooks/use-book';
import { ChosenDates } from './chosen-dates';
import { ChosenTime } from './chosen-time';

/** The service and the times that the address names. */
export function Chosen({ book }: { book: Book }) {
  const { service, offer, starts, zone, practitionerId } = book;
  const [first] = starts;
  if (!service || !first) return null;
  const what = { service, zone, practitionerId };
  if (offer) return <ChosenDates {...what} offer={offer} starts={starts} />;
  return <ChosenTime {...what} at={new Date(first)} />;
}
