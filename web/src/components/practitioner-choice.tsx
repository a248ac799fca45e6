import { startTransition, useOptimistic } from 'react';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { RadioGroup } from './ui/radio-group';

/** The practitioner that an address names; none where there is no choice between them. */
export function chosenPractitioner(all: readonly Practitioner[], named: string): string {
  return all.length > 1 && all.some((one) => one.practitionerId === named) ? named : '';
}

type PractitionerChoiceProps = {
  /** The practitioners that give the service. */
  all: readonly Practitioner[];
  /** An id; empty for anyone. */
  chosen: string;
  onChoose: (practitionerId: string) => void;
};

/** The choice of a practitioner: anyone or one of several. Nothing is asked where there is only one. */
export function PractitionerChoice({ all, chosen, onChoose }: PractitionerChoiceProps) {
  // The address reports a choice a moment later. A pressed chip must not wait for that.
  const [shown, showNow] = useOptimistic(chosen);
  function choose(practitionerId: string) {
    startTransition(() => {
      showNow(practitionerId);
      onChoose(practitionerId);
    });
  }
  if (all.length < 2) return null;
  return (
    <RadioGroup
      legend="With whom?"
      name="practitioner"
      value={shown}
      onChange={choose}
      options={[
        { value: '', label: 'Anyone' },
        ...all.map(({ practitionerId, name }) => ({ value: practitionerId, label: name })),
      ]}
    />
  );
}
