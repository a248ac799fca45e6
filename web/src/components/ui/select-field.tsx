import { type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react';
import { classes } from '@/lib/classes';
import { describedBy, Field, inputStyle } from './field';

export type SelectOption = { value: string; label: string };

export type SelectFieldProps = SelectHTMLAttributes<HTMLSelectElement> & {
  label: ReactNode;
  name: string;
  options: readonly SelectOption[];
  error?: string | undefined;
  hint?: ReactNode;
  optional?: boolean;
  labelHidden?: boolean;
  ref?: Ref<HTMLSelectElement>;
};

/** For CSS every select is "read-only"; it must not look as if nothing could be chosen. */
const SELECT = 'appearance-none pr-11 truncate enabled:bg-surface!';

/** A native select with its label, hint and error. */
export function SelectField(props: SelectFieldProps) {
  const { label, options, error, hint, optional, labelHidden, className, ...select } = props;
  const ownId = useId();
  const id = select.id ?? ownId;
  return (
    <Field
      id={id}
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      labelHidden={labelHidden}
    >
      <div className="relative">
        <select
          {...select}
          id={id}
          className={inputStyle(error, classes(SELECT, className))}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
        >
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <svg
          viewBox="0 0 20 20"
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-4 size-4 -translate-y-1/2 text-ink-2"
        >
          <path
            d="M4 7.5l6 6 6-6"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      </div>
    </Field>
  );
}
