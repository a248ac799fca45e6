/** Asks the server what becomes of the booking in the other tab, until that is known or too old. */
import { deviceMs } from '@/lib/clock';
import { connectGet, type Read } from '@/lib/connect-get';

export type ReportState = 'waiting' | 'held' | 'confirmed' | 'cancelled' | 'expired';

/** By hand: an answer with a word of an enum is not generated, and here the word stays a text. */
const GET_REPORT: Read<{ reportId: string }, { state: string }> = {
  path: 'booking.v1.WidgetService/GetReport',
  answer: { state: '' },
};

const STATES: Record<string, ReportState> = {
  REPORT_STATE_HELD: 'held',
  REPORT_STATE_CONFIRMED: 'confirmed',
  REPORT_STATE_CANCELLED: 'cancelled',
  REPORT_STATE_EXPIRED: 'expired',
};

/** Asks once. The browser keeps no answer. */
export async function readReport(reportId: string, signal: AbortSignal): Promise<ReportState> {
  const asked = { input: { reportId }, signal, cache: 'no-store' } as const;
  const answer = await connectGet(GET_REPORT, asked);
  return STATES[answer.state] ?? 'waiting';
}

const PAUSE_MS = 3_000;
const PAUSE_MS_MAX = 30_000;
/** A report ends two hours after the booking; to choose and to sign in takes its time before. */
const FOLLOWED_MS_MAX = 3 * 60 * 60_000;

type Following = {
  read: (signal: AbortSignal) => Promise<ReportState>;
  /** Told of every state that is another one than before. */
  tell: (state: ReportState) => void;
  /** Told when there is nothing more to be learnt. */
  tellEnd: () => void;
};

/**
 * Follows a report; the function that comes back ends it. A failure is tried again, later each time. A
 * page that comes back into view asks at once.
 */
export function followReport({ read, tell, tellEnd }: Following): () => void {
  const begunAt = deviceMs();
  const abort = new AbortController();
  let last: ReportState = 'waiting';
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;

  async function ask(): Promise<void> {
    if (asking || abort.signal.aborted) return;
    asking = true;
    clearTimeout(timer);
    try {
      const state = await read(abort.signal);
      failures = 0;
      // A report that ends does not take back what was learnt.
      const isNews = state !== last && state !== 'waiting';
      if (isNews && !abort.signal.aborted) {
        last = state;
        tell(state);
      }
    } catch {
      failures += 1;
    }
    asking = false;
    if (abort.signal.aborted) return;
    if (last === 'confirmed') stop();
    else if (deviceMs() - begunAt > FOLLOWED_MS_MAX) {
      stop();
      tellEnd();
    } else timer = setTimeout(ask, Math.min(PAUSE_MS * 2 ** failures, PAUSE_MS_MAX));
  }

  function askInView(): void {
    if (document.visibilityState === 'visible') void ask();
  }

  function stop(): void {
    abort.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', askInView);
    window.removeEventListener('online', askInView);
  }

  document.addEventListener('visibilitychange', askInView);
  window.addEventListener('online', askInView);
  timer = setTimeout(ask, PAUSE_MS);
  return stop;
}
