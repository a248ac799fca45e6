import { OwnTime } from '@/components/own-time';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { formatDateTime, type Zone } from '@/lib/time';

type ChosenTimeProps = {
  service: Service;
  at: Date;
  zone: Zone;
  /** The chosen practitioner's id; empty for anyone. */
  practitionerId: string;
};

/** What a client has chosen so far, above each step of /book. */
export function ChosenTime({ service, at, zone, practitionerId }: ChosenTimeProps) {
  const chosen = service.practitioners.find((one) => one.practitionerId === practitionerId);
  return (
    <div className="flex flex-col gap-0.5 rounded-card bg-brand-soft px-5 py-4">
      <p className="text-lg font-semibold numeric">{formatDateTime(at, zone)}</p>
      <p className="text-ink-2 numeric">
        {service.title} · {service.durationText} · {formatPrice(service.price)} · online
        {chosen ? ` · with ${chosen.name}` : ''}
        <OwnTime at={at} zone={zone} />
      </p>
    </div>
  );
}
