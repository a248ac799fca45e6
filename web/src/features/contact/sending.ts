/** The attempt to send what is written. It goes on when the page is left. */

import type { Transport } from '@connectrpc/connect';
import { toast } from '@/components/ui/toast-store';
import { BackgroundMutation } from '@/lib/background-mutation';
import { importWithRetry } from '@/lib/import-with-retry';
import type { Outcome } from './api/send-message';
import { clearDraft } from './contact-draft';
import { NOT_SENT, NOT_SENT_ELSEWHERE, THANK_YOU } from './contact-messages';
import type { ContactValues } from './contact-rules';

/** The code that talks to the server; it waits for the page to be idle, or for the first attempt. */
export function loadCalls() {
  return importWithRetry(() => import('./api/send-message'));
}

/** On another page a toast says that it failed; the form says why when it is shown again. */
function failedElsewhere({ kind }: Outcome): boolean {
  if (kind === 'sent') return false;
  toast(NOT_SENT_ELSEWHERE);
  return true;
}

export const sending = new BackgroundMutation<Outcome>(failedElsewhere);

type Wish = { transport: Transport; values: ContactValues; website: string };

async function attempt({ transport, values, website }: Wish): Promise<Outcome> {
  try {
    const { sendMessage } = await loadCalls();
    return await sendMessage(transport, values, website);
  } catch {
    // The code itself could not be fetched.
    return { kind: 'problem', problem: NOT_SENT };
  }
}

/** After a message was sent, the draft is deleted and the thanks shown on any page. */
export function send(wish: Wish): Promise<void> {
  return sending.run(async () => {
    const outcome = await attempt(wish);
    if (outcome.kind === 'sent') {
      clearDraft();
      toast(THANK_YOU);
    }
    return outcome;
  });
}
