/** A sum that is given back, as people type it. */
import { TextField } from '@/components/ui/text-field';
import { paiseOf } from '../model/rupees';

type RupeeFieldProps = {
  value: string;
  onChange: (written: string) => void;
  /** Says nothing of an empty field. */
  quiet?: boolean;
};

export function RupeeField({ value, onChange, quiet = false }: RupeeFieldProps) {
  const isFine = paiseOf(value) !== undefined || (quiet && value === '');
  return (
    <TextField
      label="How much, in rupees"
      name="amount"
      inputMode="decimal"
      autoComplete="off"
      value={value}
      error={isFine ? undefined : 'A sum such as 500 or 499.50'}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
