/**
 * What was typed into a form, kept for a reload of this tab, and what an account fills into it. The
 * account's name and address are not kept: they belong to the account and not to the tab.
 */
import { readTab, writeTab } from './tab-storage';

type Values = Record<string, string>;
type Account = { firstName: string; lastName: string; email: string };

/** What an account puts into a form. */
export type AccountValues = { name: string; email: string };

export const NO_ACCOUNT: AccountValues = { name: '', email: '' };

/** What this tab remembers of a form; the fields of `empty` and no others. */
export function readFormDraft<V extends Values>(key: string, empty: V): V {
  try {
    const stored = (JSON.parse(readTab(key) ?? 'null') ?? {}) as Record<string, unknown>;
    const entries = Object.entries(empty).map(([name, none]) => {
      const value = stored[name];
      return [name, typeof value === 'string' ? value : none];
    });
    return Object.fromEntries(entries) as V;
  } catch {
    return empty;
  }
}

/** Keeps what was typed; of an empty form nothing is left. */
export function writeFormDraft(key: string, values: Values): void {
  const empty = Object.values(values).every((value) => value === '');
  writeTab(key, empty ? null : JSON.stringify(values));
}

export function accountValues({ firstName, lastName, email }: Account): AccountValues {
  return { name: [firstName, lastName].filter(Boolean).join(' '), email };
}

/** Fills what is empty from the account. */
export function prefill<V extends AccountValues>(values: V, account: AccountValues): V {
  const { name, email } = values;
  return { ...values, name: name || account.name, email: email || account.email };
}

/** Empties what still is as the account gave it. */
export function withoutAccount<V extends AccountValues>(values: V, account: AccountValues): V {
  return {
    ...values,
    name: values.name === account.name ? '' : values.name,
    email: values.email === account.email ? '' : values.email,
  };
}
