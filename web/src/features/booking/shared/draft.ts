/** What was typed on the way, kept for a reload of this tab. */
import { readTab, writeTab } from '@/lib/tab-storage';

export type ContactValues = {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  notes: string;
};

export type Draft = {
  contact: ContactValues;
  inPerson: boolean;
  agreed: boolean;
};

const KEY = 'bookingDraft';

/** Neither notes, which may speak of health, nor the consent are written down. */
type StoredDraft = Omit<ContactValues, 'notes'> & { inPerson: boolean };

export const EMPTY_CONTACT: ContactValues = {
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  notes: '',
};

/** Whether something was written that is kept nowhere until the booking has it. */
export function hasNotes({ notes }: ContactValues): boolean {
  return notes.trim() !== '';
}

/** Whether nothing of it was changed. */
export function hasSameNotes(values: ContactValues, before: ContactValues): boolean {
  return values.notes === before.notes;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readDraft(): Draft {
  const empty: Draft = { contact: EMPTY_CONTACT, inPerson: false, agreed: false };
  try {
    const stored = JSON.parse(readTab(KEY) ?? 'null') as Partial<StoredDraft> | null;
    if (!stored) return empty;
    const contact = {
      firstName: text(stored.firstName),
      lastName: text(stored.lastName),
      email: text(stored.email),
      phone: text(stored.phone),
      notes: '',
    };
    return { contact, inPerson: stored.inPerson === true, agreed: false };
  } catch {
    return empty;
  }
}

export function writeDraft({ contact, inPerson }: Draft): void {
  const { notes: _never, ...kept } = contact;
  const stored: StoredDraft = { ...kept, inPerson };
  writeTab(KEY, JSON.stringify(stored));
}

export function clearDraft(): void {
  writeTab(KEY, null);
}

/** Fills what is empty from the account. */
export function prefill(contact: ContactValues, account: Partial<ContactValues>): ContactValues {
  return {
    firstName: contact.firstName || text(account.firstName),
    lastName: contact.lastName || text(account.lastName),
    email: contact.email || text(account.email),
    phone: contact.phone || text(account.phone),
    notes: contact.notes,
  };
}
