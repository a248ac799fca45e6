import { SelectField } from '@/components/ui/select-field';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { useServices } from '@/lib/practice';

/** A session, or with a package the session that all of it is of. */
export type Chosen = { serviceId: string; packageId: string };

/** Marks the value of a package, whose id may be that of a service. */
const PACKAGE = 'package ';

function labelOf({ title, durationText, price }: Service): string {
  return `${title} · ${durationText} · ${formatPrice(price)}`;
}

function packageLabel({ title, sessions, price }: Package): string {
  return `${title} · ${sessions} sessions · ${formatPrice(price)}`;
}

type KindProps = { offer: Package; serviceId: string; onChange: (serviceId: string) => void };

/** Which session all of a package is of. Nothing is asked where there is only one. */
function KindChoice({ offer, serviceId, onChange }: KindProps) {
  const services = useServices().filter((one) => offer.serviceIds.includes(one.serviceId));
  if (services.length < 2) return null;
  return (
    <SelectField
      label="Kind of session"
      name="kind"
      value={serviceId}
      options={services.map((one) => ({
        value: one.serviceId,
        label: `${one.title} · ${one.durationText} · ${formatPrice(one.price)} singly`,
      }))}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

type SessionChoiceProps = {
  chosen: Chosen;
  /** The packages that can be chosen in place of a session. */
  packages?: readonly Package[];
  onChange: (chosen: Chosen) => void;
};

/** Which session or package the free times are for. */
export function SessionChoice({ chosen, packages = [], onChange }: SessionChoiceProps) {
  const { serviceId, packageId } = chosen;
  const offer = packages.find((one) => one.packageId === packageId);
  const services = useServices();
  const options = [
    ...services.map((service) => ({ value: service.serviceId, label: labelOf(service) })),
    ...packages.map((one) => ({ value: PACKAGE + one.packageId, label: packageLabel(one) })),
  ];

  function choose(value: string): void {
    const next = packages.find((one) => PACKAGE + one.packageId === value);
    if (!next) {
      onChange({ serviceId: value, packageId: '' });
      return;
    }
    const { serviceIds } = next;
    const kept = serviceIds.includes(serviceId) ? serviceId : (serviceIds[0] ?? '');
    onChange({ serviceId: kept, packageId: next.packageId });
  }

  return (
    <div className="flex max-w-xl flex-col gap-4">
      <SelectField
        label="Session"
        name="service"
        value={offer ? PACKAGE + packageId : serviceId}
        options={options}
        onChange={(event) => choose(event.target.value)}
      />
      {offer ? (
        <KindChoice
          offer={offer}
          serviceId={serviceId}
          onChange={(kind) => onChange({ serviceId: kind, packageId })}
        />
      ) : null}
    </div>
  );
}
