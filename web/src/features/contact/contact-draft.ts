/** Where the tab keeps what was typed, and the key of the attempt to send it. */
import { writeFormDraft } from '@/lib/form-draft';
import { EMPTY_MESSAGE, validateMessage } from './contact-rules';

export const DRAFT_KEY = 'contactDraft';
export const ATTEMPT_KEY = 'contactSendKey';

export const CONTACT_FORM = { key: DRAFT_KEY, empty: EMPTY_MESSAGE, validate: validateMessage };

export function clearDraft(): void {
  writeFormDraft(DRAFT_KEY, EMPTY_MESSAGE);
}
