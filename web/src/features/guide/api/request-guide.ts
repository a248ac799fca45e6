/** Asking for the guide by mail. Loaded when the page is idle, or with the first attempt. */
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { NotificationsService } from '@/gen/notifications/v1/notifications_service_pb';
import { describeError } from '@/lib/errors';
import { endAttempt, keyOfAttempt } from '@/lib/idempotency-key';
import { type GuideProblem, NOT_SENT, TOO_MANY } from '../guide-messages';

/** Where the tab keeps the attempt's key until it succeeded. */
const ATTEMPT_KEY = 'guideRequestKey';
const TIMEOUT_MS = 20_000;

export type Outcome =
  | { kind: 'sent' }
  | { kind: 'invalid'; message: string }
  | { kind: 'problem'; problem: GuideProblem };

function ofRefusal(error: unknown): Outcome {
  const { code, field, message, referenceId } = describeError(error);
  if (code === Code.InvalidArgument && field === 'email') return { kind: 'invalid', message };
  if (code === Code.ResourceExhausted) return { kind: 'problem', problem: TOO_MANY };
  return { kind: 'problem', problem: { ...NOT_SENT, referenceId } };
}

export async function requestGuide(
  transport: Transport,
  address: string,
  website: string,
): Promise<Outcome> {
  const email = address.trim();
  const idempotencyKey = keyOfAttempt(ATTEMPT_KEY, [email]);
  const client = createClient(NotificationsService, transport);
  try {
    const wish = { email, idempotencyKey, website };
    await client.requestMeditationGuide(wish, { timeoutMs: TIMEOUT_MS });
    endAttempt(ATTEMPT_KEY);
    return { kind: 'sent' };
  } catch (error) {
    return ofRefusal(error);
  }
}
