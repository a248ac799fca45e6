import { type Ref, useId, useState } from 'react';
import { describedBy, Field, inputStyle } from './field';

type PasswordFieldProps = {
  label?: string;
  name: string;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
  /** A new password, or an existing one. */
  kind: 'new-password' | 'current-password';
  hint?: string;
  readOnly?: boolean;
  ref?: Ref<HTMLInputElement>;
};

/** A password that can be shown. Pasting and password managers work. */
export function PasswordField(props: PasswordFieldProps) {
  const { label = 'Password', name, value, error, onChange, kind, hint, ...input } = props;
  const [shown, setShown] = useState(false);
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          {...input}
          id={id}
          name={name}
          type={shown ? 'text' : 'password'}
          value={value}
          onChange={onChange}
          autoComplete={kind}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          className={inputStyle(error, 'pr-20')}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
        />
        <button
          type="button"
          aria-pressed={shown}
          aria-controls={id}
          onClick={() => setShown((was) => !was)}
          className="absolute inset-y-0.5 right-0.5 min-w-16 rounded-input px-3 text-sm font-semibold text-brand hover:bg-brand-soft"
        >
          {shown ? 'Hide' : 'Show'}
          <span className="sr-only"> password</span>
        </button>
      </div>
    </Field>
  );
}
