import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';

/** Classes that text inputs share. */
const INPUT_STYLE =
  'w-full min-h-12 rounded-input border bg-surface px-4 py-2.5 text-base text-ink ' +
  'placeholder:text-ink-2 transition-colors duration-150 hover:border-brand ' +
  'disabled:bg-sunken disabled:text-ink-2 read-only:bg-sunken';

export function inputStyle(error: string | undefined, className?: string): string {
  return classes(INPUT_STYLE, error ? 'border-err' : 'border-control', className);
}

/** The ids of a field's hint and error, for aria-describedby. */
export function describedBy(id: string, hint?: ReactNode, error?: string): string | undefined {
  const ids = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <p id={`${id}-error`} className="flex gap-2 text-sm font-semibold text-err">
      <span aria-hidden="true">!</span>
      {error}
    </p>
  );
}

type FieldProps = {
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean | undefined;
  /** Keeps the label for screen readers only, where the field says itself what it is for. */
  labelHidden?: boolean | undefined;
  children: ReactNode;
};

/** Label above, input, hint and error below: the frame of every text field. */
export function Field(props: FieldProps) {
  const { id, label, hint, error, optional, labelHidden, children } = props;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'font-semibold'}>
        {label}
        {optional ? <span className="font-normal text-ink-2"> (optional)</span> : null}
      </label>
      {children}
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-ink-2">
          {hint}
        </p>
      ) : null}
      <FieldError id={id} error={error} />
    </div>
  );
}
