/** Sending a message to the practice. Loaded when the page is idle, or with the first attempt. */
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { NotificationsService } from '@/gen/notifications/v1/notifications_service_pb';
import { describeError } from '@/lib/errors';
import { endAttempt, keyOfAttempt } from '@/lib/idempotency-key';
import type { FieldErrors } from '@/lib/use-fields';
import { ATTEMPT_KEY } from '../contact-draft';
import { type ContactProblem, NOT_SENT, TOO_MANY } from '../contact-messages';
import { type ContactValues, contactField } from '../contact-rules';

const TIMEOUT_MS = 20_000;

export type Outcome =
  | { kind: 'sent' }
  | { kind: 'fields'; errors: FieldErrors<ContactValues> }
  | { kind: 'problem'; problem: ContactProblem };

function ofRefusal(error: unknown): Outcome {
  const { code, field, message, referenceId } = describeError(error);
  const input = contactField(field);
  if (input && code === Code.InvalidArgument) {
    return { kind: 'fields', errors: { [input]: message } };
  }
  if (code === Code.ResourceExhausted) return { kind: 'problem', problem: TOO_MANY };
  return { kind: 'problem', problem: { ...NOT_SENT, referenceId } };
}

export async function sendMessage(
  transport: Transport,
  values: ContactValues,
  website: string,
): Promise<Outcome> {
  const name = values.name.trim();
  const email = values.email.trim();
  const message = values.message.trim();
  const idempotencyKey = keyOfAttempt(ATTEMPT_KEY, [name, email, message]);
  const client = createClient(NotificationsService, transport);
  try {
    const wish = { name, email, message, idempotencyKey, website };
    await client.sendContactMessage(wish, { timeoutMs: TIMEOUT_MS });
    endAttempt(ATTEMPT_KEY);
    return { kind: 'sent' };
  } catch (error) {
    return ofRefusal(error);
  }
}
