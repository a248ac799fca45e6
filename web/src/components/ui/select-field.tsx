import { type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react';
import { describedBy, Field, inputStyle } from './field';

export type SelectOption = { value: string; label: string };

export type SelectFieldProps = SelectHTMLAttributes<HTMLSelectElement> & {
  label: ReactNode;
  name: string;
  options: readonly SelectOption[];
  error?: string | undefined;
  hint?: ReactNode;
  optional?: boolean;
  ref?: Ref<HTMLSelectElement>;
};

/** A native select with its label, hint and error. */
export function SelectField(props: SelectFieldProps) {
  const { label, options, error, hint, optional, className, ...select } = props;
  const ownId = useId();
  const id = select.id ?? ownId;
  return (
    <Field id={id} label={label} hint={hint} error={error} optional={optional}>
      <select
        {...select}
        id={id}
        className={inputStyle(error, className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      >
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
