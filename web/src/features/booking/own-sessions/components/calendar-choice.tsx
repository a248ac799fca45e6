/** What a calendar shows of the sessions, and what a press that failed says. */
import { useId } from 'react';
import { ErrorNotice } from '@/components/ui/error-notice';
import { RadioGroup } from '@/components/ui/radio-group';

type CalendarChoiceProps = { details: boolean; onChange: (details: boolean) => void };

export function CalendarChoice({ details, onChange }: CalendarChoiceProps) {
  return (
    <RadioGroup
      legend="What your calendar shows"
      name={useId()}
      value={details ? 'details' : 'plain'}
      onChange={(value) => onChange(value === 'details')}
      options={[
        { value: 'plain', label: 'Show only that I have a session' },
        { value: 'details', label: 'With service and practitioner' },
      ]}
      hint={
        details
          ? 'Each has the service, the practitioner and the place.'
          : 'Each is called "Session", and says no more than its time.'
      }
    />
  );
}

type PressFailedProps = {
  error: unknown;
  isLost: boolean;
  /** What is true where nothing was done. */
  title: string;
  /** What may be so, where no answer came. */
  lostTitle: string;
};

export function PressFailed({ error, isLost, title, lostTitle }: PressFailedProps) {
  if (!error) return null;
  if (!isLost) return <ErrorNotice error={error} title={title} />;
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={error} title={lostTitle} />
      <p>Please press the button again.</p>
    </div>
  );
}
