import { type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from 'react';
import { describedBy, Field, inputStyle } from './field';

export type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  label: ReactNode;
  name: string;
  error?: string | undefined;
  hint?: ReactNode;
  optional?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
};

/** A text area with its label, hint and error. */
export function TextArea({ label, error, hint, optional, className, ...input }: TextAreaProps) {
  const ownId = useId();
  const id = input.id ?? ownId;
  return (
    <Field id={id} label={label} hint={hint} error={error} optional={optional}>
      <textarea
        rows={4}
        dir="auto"
        {...input}
        id={id}
        className={inputStyle(error, className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Field>
  );
}
