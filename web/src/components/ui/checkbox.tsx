import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import { classes } from '@/lib/classes';
import { describedBy, FieldError } from './field';

export type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  label: ReactNode;
  name: string;
  hint?: ReactNode;
  error?: string | undefined;
  ref?: Ref<HTMLInputElement>;
};

/** A native checkbox whose whole row can be pressed. */
export function Checkbox({ label, hint, error, className, ...input }: CheckboxProps) {
  const ownId = useId();
  const id = input.id ?? ownId;
  return (
    <div className={classes('flex flex-col gap-1', className)}>
      <div className="flex min-h-11 items-start gap-3">
        <input
          {...input}
          id={id}
          type="checkbox"
          className="mt-3 size-5 shrink-0 accent-brand"
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
        />
        <label htmlFor={id} className="py-2.5">
          {label}
        </label>
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="pl-8 text-sm text-ink-2">
          {hint}
        </p>
      ) : null}
      <FieldError id={id} error={error} />
    </div>
  );
}
