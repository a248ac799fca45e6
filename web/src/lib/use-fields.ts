/** The values and errors of a form: checked when it is sent, and from then on with every change. */
import { useCallback, useMemo, useState } from 'react';

type Values = Record<string, string>;
export type FieldErrors<V> = Partial<Record<keyof V & string, string>>;

export type Fields<V extends Values> = {
  values: V;
  errors: FieldErrors<V>;
  /** How often sending was tried with errors; the summary takes the focus when it grows. */
  refusals: number;
  set: (name: keyof V & string, value: string) => void;
  /** Shows all errors and says whether there are none. */
  check: () => boolean;
  /** Shows an error that the server found, until the field is changed. */
  refuse: (errors: FieldErrors<V>) => void;
  replace: (next: V | ((before: V) => V)) => void;
  /** What an input needs to be one of these fields. */
  input: (name: keyof V & string) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: { target: { value: string } }) => void;
  };
};

export function useFields<V extends Values>(
  initial: V,
  validate: (values: V) => FieldErrors<V>,
): Fields<V> {
  const [values, setValues] = useState(initial);
  const [checked, setChecked] = useState(false);
  const [refused, setRefused] = useState<FieldErrors<V>>({});
  const [refusals, setRefusals] = useState(0);

  const found = useMemo(() => validate(values), [validate, values]);
  const errors = checked ? { ...refused, ...found } : refused;

  const set = useCallback((name: keyof V & string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setRefused(({ [name]: _gone, ...rest }) => rest as FieldErrors<V>);
  }, []);

  const check = () => {
    setChecked(true);
    const good = Object.keys(found).length === 0;
    if (!good) setRefusals((count) => count + 1);
    return good;
  };

  const refuse = (next: FieldErrors<V>) => {
    setRefused(next);
    setRefusals((count) => count + 1);
  };

  return {
    values,
    errors,
    refusals,
    set,
    check,
    refuse,
    replace: setValues,
    input: (name) => ({
      name,
      value: values[name] ?? '',
      error: errors[name],
      onChange: (event) => set(name, event.target.value),
    }),
  };
}
