/** Ending mails, and asking for them again. Loaded when the page is idle, or when it is pressed. */
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { NotificationsService } from '@/gen/notifications/v1/notifications_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import type { Wish } from '../link';
import { type Failure, UNREACHABLE } from '../unsubscribe-messages';

const TIMEOUT_MS = 20_000;

export type Outcome =
  | { kind: 'done' }
  | { kind: 'bad-link' }
  | { kind: 'failed'; failure: Failure };

/** Codes of a server that is away or slow. */
const AWAY: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);

function failureOf(error: unknown): Failure {
  const { code, title, message, referenceId } = describeError(error);
  return AWAY.has(code) ? { ...UNREACHABLE, referenceId } : { title, message, referenceId };
}

export async function changeMails(
  transport: Transport,
  wish: Wish,
  token: string,
): Promise<Outcome> {
  const client = createClient(NotificationsService, transport);
  const options = { timeoutMs: TIMEOUT_MS };
  try {
    if (wish === 'end') await client.unsubscribe({ token }, options);
    else await client.resubscribe({ token }, options);
    return { kind: 'done' };
  } catch (error) {
    if (errorReason(error) === 'INVALID_TOKEN') return { kind: 'bad-link' };
    return { kind: 'failed', failure: failureOf(error) };
  }
}
