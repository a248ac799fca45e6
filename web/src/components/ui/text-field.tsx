import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import { describedBy, Field, inputStyle } from './field';

export type TextFieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: ReactNode;
  name: string;
  error?: string | undefined;
  hint?: ReactNode;
  /** Says "(optional)" behind the label. */
  optional?: boolean;
  labelHidden?: boolean;
  ref?: Ref<HTMLInputElement>;
};

/** A text input with its label, hint and error. */
export function TextField(props: TextFieldProps) {
  const { label, error, hint, optional, labelHidden, className, ...input } = props;
  const ownId = useId();
  const id = input.id ?? ownId;
  return (
    <Field
      id={id}
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      labelHidden={labelHidden}
    >
      <input
        // What people type may run from right to left; addresses and numbers never do.
        dir={(input.type ?? 'text') === 'text' ? 'auto' : undefined}
        {...input}
        id={id}
        className={inputStyle(error, className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
      />
    </Field>
  );
}
