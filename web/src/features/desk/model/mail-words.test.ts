import { expect, test } from 'vitest';
import { MailKind } from '@/gen/notifications/v1/notifications_events_pb';
import { mailWord } from './mail-words';

test.each([
  [MailKind.MOVE_PROPOSED, 'Asked to choose another time'],
  [MailKind.MOVE_PROPOSAL_WITHDRAWN, 'The session keeps its time'],
  [MailKind.PAGE_CODE, 'Code for the booking’s page'],
  [MailKind.WAITING_OFFER, 'A time is free'],
  [MailKind.REFUND_ASKED, 'Request for a refund'],
  [MailKind.REFUND_ASKED_NOTICE, 'Request for a refund, to the practice'],
  [MailKind.REFUND_ANSWERED, 'Answer to a request for a refund'],
])('a mail of kind %s has words of its own', (kind, words) => {
  expect(mailWord(kind)).toBe(words);
});

test('a kind that this page does not know is a mail', () => {
  expect(mailWord(MailKind.UNSPECIFIED)).toBe('Mail');
});
