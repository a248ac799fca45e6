import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { formatDateTime, formatOwnTime, type Zone } from '@/lib/time';

type ChosenDatesProps = {
  offer: Package;
  service: Service;
  /** The starts of all sessions, earliest first. */
  starts: readonly string[];
  zone: Zone;
  /** The chosen practitioner's id; empty for anyone. */
  practitionerId: string;
};

function words(start: string, zone: Zone): string {
  const at = new Date(start);
  const own = formatOwnTime(at, zone);
  return `${formatDateTime(at, zone)}${own ? ` (${own})` : ''}`;
}

/** What a client has chosen of a package so far, above each step of /book. */
export function ChosenDates(props: ChosenDatesProps) {
  const { offer, service, starts, zone, practitionerId } = props;
  const chosen = service.practitioners.find((one) => one.practitionerId === practitionerId);
  return (
    <div className="flex flex-col gap-1 rounded-card bg-brand-soft px-5 py-4">
      <p className="text-lg font-semibold">{offer.title}</p>
      <ul className="flex flex-col gap-0.5 font-semibold numeric">
        {starts.map((start) => (
          <li key={start}>{words(start, zone)}</li>
        ))}
      </ul>
      <p className="text-ink-2 numeric">
        {service.title} · {service.durationText} each · {formatPrice(offer.price)} in all · online
        {chosen ? ` · with ${chosen.name}` : ''}
      </p>
    </div>
  );
}
