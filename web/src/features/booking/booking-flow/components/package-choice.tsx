import { RadioGroup } from '@/components/ui/radio-group';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { priceWords } from '../../shared/free-session';

type PackageChoiceProps = {
  service: Service;
  /** The packages that are offered for the service. */
  all: readonly Package[];
  /** An id; empty for a single session. */
  chosen: string;
  onChoose: (packageId: string) => void;
};

/** One session or a package. Nothing is asked where no package is offered. */
export function PackageChoice({ service, all, chosen, onChoose }: PackageChoiceProps) {
  if (all.length === 0) return null;
  return (
    <RadioGroup
      legend="How many sessions?"
      name="package"
      value={chosen}
      onChange={onChoose}
      options={[
        { value: '', label: 'One session', note: priceWords(service) },
        ...all.map(({ packageId, title, sessions, price }) => ({
          value: packageId,
          label: title,
          note: `${sessions} sessions, ${formatPrice(price)}`,
        })),
      ]}
    />
  );
}
