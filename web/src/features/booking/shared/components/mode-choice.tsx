import { RadioGroup } from '@/components/ui/radio-group';
import { usePractice } from '@/lib/practice';

type ModeChoiceProps = {
  inPerson: boolean;
  onChange: (inPerson: boolean) => void;
};

/** Online or at the practice. */
export function ModeChoice({ inPerson, onChange }: ModeChoiceProps) {
  const { city } = usePractice();
  return (
    <RadioGroup
      legend="How would you like to meet?"
      name="mode"
      value={inPerson ? 'in-person' : 'online'}
      onChange={(value) => onChange(value === 'in-person')}
      options={[
        { value: 'online', label: 'Online' },
        { value: 'in-person', label: 'In person' },
      ]}
      hint={
        inPerson
          ? `We meet in ${city}. All times are local times there.`
          : `By a private meeting link. If you live in ${city}, we recommend meeting in person.`
      }
    />
  );
}
