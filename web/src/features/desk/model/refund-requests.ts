/** A client's request for a refund in words: until when it is to be answered, and what was answered. */
import {
  type RefundRequest,
  RefundRequestState,
} from '@/gen/payments/v1/refund_request_service_pb';
import { formatPrice } from '@/lib/money';
import { toDate, type Zone } from '@/lib/time';
import { refusalWords, type Words } from './refusal-words';
import { timeWords } from './time-words';

type Moment = Parameters<typeof toDate>[0] | undefined;

function on(moment: Moment, zone: Zone): string {
  return moment ? timeWords(toDate(moment), zone) : '';
}

/** "Answer by Sat, 28 Nov, 10:30 am"; said as overdue once that has passed. */
export function answerByWords({ answerByAt }: RefundRequest, now: number, zone: Zone): string {
  if (!answerByAt) return 'Answer soon';
  const isOver = toDate(answerByAt).getTime() <= now;
  return `${isOver ? 'Overdue since' : 'Answer by'} ${on(answerByAt, zone)}`;
}

/** "Asked Thu, 26 Nov, 10:30 am. What is granted is to be back by Fri, 4 Dec, 10:30 am." */
export function askedWords({ requestedAt, closeByAt }: RefundRequest, zone: Zone): string {
  const asked = requestedAt ? `Asked ${on(requestedAt, zone)}.` : '';
  const close = closeByAt ? `What is granted is to be back by ${on(closeByAt, zone)}.` : '';
  return [asked, close].filter(Boolean).join(' ');
}

/** What was done: "₹500 goes back", "nothing goes back". */
export function grantedWords(amount: RefundRequest['amount']): string {
  const isSum = amount !== undefined && amount.minorUnits > 0n;
  return `${isSum ? formatPrice(amount) : 'nothing'} goes back`;
}

/** Where it stands, as a sentence. */
export function stateWords(request: RefundRequest, now: number, zone: Zone): string {
  if (request.state === RefundRequestState.OPEN) return `${answerByWords(request, now, zone)}.`;
  return `Answered ${on(request.answeredAt, zone)}: ${grantedWords(request.amount)}.`;
}

export const ANSWER_MAX = 1000;
const ANSWER_MIN = 3;

/** What is wrong with an answer, in words; nothing where it is right. */
export function answerError(answer: string): string | undefined {
  return [...answer.trim()].length < ANSWER_MIN ? 'Write a sentence to the client' : undefined;
}

const WORDS: Record<string, Words> = {
  ALREADY_ANSWERED: {
    title: 'It was answered meanwhile',
    message: 'Each request is answered once. Your answer was not sent, and it moved no money.',
  },
  REFUND_REQUEST_NOT_FOUND: {
    title: 'There is no such request any more',
    message: 'Your answer was not sent, and it moved no money.',
  },
  INVALID_ANSWER: {
    title: 'The words to the client are missing',
    message: 'They have 3 to 1,000 characters.',
  },
};

/** Of a request a refusal may mean something else than of other acts. */
export function requestRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? refusalWords(reason);
}
