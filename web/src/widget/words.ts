/** What the widget says, by language. English is what there is; another language is a table more. */

const EN = {
  title: 'Book a session',
  session: 'Session',
  practitioner: 'With whom?',
  anyone: 'Anyone',
  freeTimes: 'Free times',
  days: 'Day',
  earlier: 'Earlier',
  later: 'Later days',
  looking: 'Looking for free times…',
  noneFree: 'No free times in these days',
  roomLater: 'There is room a little later.',
  allBooked: 'Everything is booked. Write to us, we may find one.',
  contact: 'Ask us for a time',
  nextFree: 'Next free:',
  failed: 'The free times could not be loaded',
  failedWhy: 'Nothing was booked. Please try again.',
  offline: 'You are offline',
  offlineWhy: 'The free times come as soon as you are connected again.',
  retry: 'Try again',
  notOffered: "We don't offer this session. Please choose one of ours.",
  noPackage: "We don't offer this package. Please choose one of our sessions.",
  chooseDates: 'Choose your dates',
  opensTab: 'opens in a new tab',
  reopen: 'Open it again',
  otherTime: 'Choose another time',
  anotherSession: 'Book another session',
  waiting: 'Your booking goes on in a new tab',
  waitingWhy: 'Sign in and pay there, on our own page. This page tells you when it is done.',
  held: 'Your time is held',
  heldWhy: 'Finish the payment in the other tab. This page tells you when it is done.',
  confirmed: 'Your session is booked',
  confirmedWhy: 'We have sent you a mail with everything you need.',
  cancelled: 'Your time was given back',
  cancelledWhy: 'Go on in the other tab, or choose another time here.',
  expired: 'Your time is not held any more',
  expiredWhy: 'If you have paid, the money is taken care of. You can choose another time.',
  ended: 'Your booking went on in another tab',
  endedWhy: 'This page does not hear of it any more. Your mails say how it stands.',
};

export type Words = typeof EN;

const TABLES: Record<string, Words> = { en: EN };

/** The words of a language, "en" or "en-IN", and whether they are those that were asked for. */
export function wordsOf(language: string): { words: Words; known: boolean } {
  const found = TABLES[language.toLowerCase().split('-')[0] ?? ''];
  return { words: found ?? EN, known: found !== undefined };
}

/** "3 free" */
export function freeCount(count: number): string {
  return count === 0 ? 'none free' : `${count} free`;
}

/** "Browsing doesn't reserve a time. We'll hold yours for at least 15 minutes when you go to payment." */
export function holding(holdMinutes: number): string {
  const minutes = holdMinutes > 0 ? ` for at least ${holdMinutes} minutes` : '';
  return `Browsing doesn't reserve a time. We'll hold yours${minutes} when you go to payment.`;
}
