/** Why staff move a session or ask for another time, in their own words. */
import { TextArea } from '@/components/ui/text-area';
import { REASON_MAX, reasonError } from '../model/move-words';

type ReasonFieldProps = {
  value: string;
  onChange: (reason: string) => void;
  /** It was to be sent. */
  tried: boolean;
};

export function ReasonField({ value, onChange, tried }: ReasonFieldProps) {
  return (
    <TextArea
      label="Why"
      name="reason"
      rows={2}
      maxLength={REASON_MAX}
      value={value}
      error={tried ? reasonError(value) : undefined}
      hint="For the practice alone: the history shows it."
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
