/** Gives the grant back. It has to arrive even when the page is gone in the next moment. */
import { ReviewsStaffService } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { RPC_BASE } from '@/lib/env';

const PATH = `${RPC_BASE}/${ReviewsStaffService.typeName}/${ReviewsStaffService.method.lock.name}`;

/** Opening the panel again does not wait longer than this for the answer. */
const WAIT_MS = 5000;

let locking: Promise<void> = Promise.resolve();

async function send(): Promise<void> {
  try {
    await fetch(PATH, {
      method: 'POST',
      keepalive: true,
      headers: { 'Content-Type': 'application/json', 'Connect-Protocol-Version': '1' },
      body: '{}',
      signal: AbortSignal.timeout(WAIT_MS),
    });
  } catch {
    // Offline, or no answer: the server itself ends a grant that is not used.
  }
}

export function lock(): void {
  locking = send();
}

/** Resolves when the last lock has arrived, so that it cannot end the grant that comes after it. */
export function locked(): Promise<void> {
  return locking;
}
