/** What was typed into the declaration, kept for a reload of this tab: never the signature. */
import { readTab, writeTab } from '@/lib/tab-storage';
import { type ConsentValues, EMPTY_CONSENT } from './consent-rules';

const KEY = 'consentDraft';

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readConsentDraft(): ConsentValues {
  try {
    const stored = JSON.parse(readTab(KEY) ?? 'null') as Partial<ConsentValues> | null;
    if (!stored) return EMPTY_CONSENT;
    return { fullName: text(stored.fullName), email: text(stored.email), signature: '' };
  } catch {
    return EMPTY_CONSENT;
  }
}

export function writeConsentDraft({ fullName, email }: ConsentValues): void {
  writeTab(KEY, fullName || email ? JSON.stringify({ fullName, email }) : null);
}

export function clearConsentDraft(): void {
  writeTab(KEY, null);
}
