import { type ReactNode, useId } from 'react';
import { FieldError } from './field';
import { CHIP } from './radio-group';

type CheckboxChipsProps<Value> = {
  legend: ReactNode;
  name: string;
  options: readonly { value: Value; label: ReactNode; spoken?: string }[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
  hint?: ReactNode;
  error?: string | undefined;
};

/** Native checkboxes drawn as chips of at least 44 px; any number of them can be chosen. */
export function CheckboxChips<Value extends number>(props: CheckboxChipsProps<Value>) {
  const { legend, name, options, chosen, onChange, hint, error } = props;
  const id = useId();
  function toggle(value: Value) {
    const without = chosen.filter((one) => one !== value);
    onChange(without.length < chosen.length ? without : [...chosen, value].sort((a, b) => a - b));
  }
  return (
    <fieldset
      className="flex flex-col gap-2"
      aria-describedby={hint ? `${id}-hint` : undefined}
      id={id}
    >
      <legend className="mb-2 font-semibold">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map(({ value, label, spoken }) => (
          <label key={value} className="relative">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              aria-label={spoken}
              aria-describedby={error ? `${id}-error` : undefined}
              className="peer absolute inset-0 m-0 size-full cursor-pointer appearance-none opacity-0"
            />
            <span className={CHIP}>{label}</span>
          </label>
        ))}
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-2">
          {hint}
        </p>
      ) : null}
      <FieldError id={id} error={error} />
    </fieldset>
  );
}
