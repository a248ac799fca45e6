import { SelectField } from '@/components/ui/select-field';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { useServices } from '@/lib/practice';

function labelOf({ title, durationText, price }: Service): string {
  return `${title} · ${durationText} · ${formatPrice(price)}`;
}

type SessionChoiceProps = { serviceId: string; onChange: (serviceId: string) => void };

/** Which session the free times are for. */
export function SessionChoice({ serviceId, onChange }: SessionChoiceProps) {
  const options = useServices().map((service) => ({
    value: service.serviceId,
    label: labelOf(service),
  }));
  return (
    <div className="max-w-xl">
      <SelectField
        label="Session"
        name="service"
        value={serviceId}
        options={options}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
