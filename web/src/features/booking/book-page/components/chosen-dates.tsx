import { OwnTime } from '@/components/own-time';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { formatDateTime, type Zone } from '@/lib/time';

type ChosenDatesProps = {
  offer: Package;
  service: Service;
  /** The starts of all sessions, earliest first. */
  starts: readonly string[];
  zone: Zone;
  /** The chosen practitioner's id; empty for anyone. */
  practitionerId: string;
};

/** What a client has chosen of a package so far, above each step of /book. */
export function ChosenDates(props: ChosenDatesProps) {
  const { offer, service, starts, zone, practitionerId } = props;
  const chosen = service.practitioners.find((one) => one.practitionerId === practitionerId);
  return (
    <div className="flex flex-col gap-1 rounded-card bg-brand-soft px-5 py-4">
      <p className="text-lg font-semibold">{offer.title}</p>
      <ul className="flex flex-col gap-0.5 font-semibold numeric">
        {starts.map((start) => (
          <li key={start}>
            {formatDateTime(new Date(start), zone)}
            <OwnTime at={new Date(start)} zone={zone} />
          </li>
        ))}
      </ul>
      <p className="text-ink-2 numeric">
        {service.title} · {service.durationText} each · {formatPrice(offer.price)} in all · online
        {chosen ? ` · with ${chosen.name}` : ''}
      </p>
    </div>
  );
}
