import { type ReactNode, useId } from 'react';
import { classes } from '@/lib/classes';
import { FieldError } from './field';

export type RadioOption = {
  value: string;
  label: ReactNode;
  /** A second line in small print. */
  note?: ReactNode;
  disabled?: boolean;
};

export type RadioGroupProps = {
  legend: ReactNode;
  /** Keeps the legend for screen readers only. */
  legendHidden?: boolean;
  name: string;
  options: readonly RadioOption[];
  value: string | undefined;
  onChange: (value: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
};

/** A chip behind an invisible input of the class `peer`. */
export const CHIP =
  'flex min-h-11 cursor-pointer flex-col justify-center rounded-full border border-control ' +
  'bg-surface px-5 py-2 text-center leading-tight font-semibold numeric max-sm:px-3.5 ' +
  'transition-colors duration-150 ' +
  'hover:border-brand peer-checked:border-brand peer-checked:bg-brand peer-checked:text-on-brand ' +
  'peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus ' +
  'peer-disabled:cursor-not-allowed peer-disabled:border-hairline peer-disabled:bg-sunken ' +
  'peer-disabled:text-ink-2 peer-disabled:[&>.chip-label]:line-through';

/** Native radio buttons drawn as chips of at least 44 px. */
export function RadioGroup(props: RadioGroupProps) {
  const { legend, legendHidden, name, options, value, onChange, hint, error, className } = props;
  const id = useId();
  return (
    <fieldset className={classes('flex flex-col gap-2', className)}>
      <legend className={legendHidden ? 'sr-only' : 'mb-2 font-semibold'}>{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label key={option.value} className="relative">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabled}
              onChange={() => onChange(option.value)}
              aria-describedby={error ? `${id}-error` : undefined}
              className="peer absolute inset-0 m-0 size-full cursor-pointer appearance-none opacity-0 disabled:cursor-not-allowed"
            />
            <span className={CHIP}>
              <span className="chip-label">{option.label}</span>
              {option.note ? <span className="text-xs font-normal">{option.note}</span> : null}
            </span>
          </label>
        ))}
      </div>
      {hint ? <p className="text-sm text-ink-2">{hint}</p> : null}
      <FieldError id={id} error={error} />
    </fieldset>
  );
}
