/**
 * The error catalogue: every error situation with the tests that show it on desktop and phone, or
 * with the reason why there is none. catalogue.spec.ts fails where a title here has no test.
 */
type Line = { situation: string } & (
  | { tests: readonly string[] }
  /** Why no page of ours can ever say it. */
  | { outside: string }
);

export const CATALOGUE: readonly Line[] = [
  { situation: 'Meditation guide send failure', tests: ['Meditation guide send failure'] },
  {
    situation: 'Meditation guide success',
    tests: ['the guide is asked for, and it closes'],
  },
  {
    situation: 'Scheduling: "Failed to fetch event types"',
    tests: ['Scheduling: event types that cannot be fetched, and none'],
  },
  {
    situation: 'Scheduling: "No event types found"',
    tests: ['Scheduling: event types that cannot be fetched, and none'],
  },
  {
    situation: 'Scheduling: "Failed to create booking: …"',
    tests: ['Scheduling: a booking that cannot be created'],
  },
  {
    situation: 'Video: "Failed to load video: …", and the fallback',
    tests: [
      'a file that does not come has its message, and comes with another try',
      'a missing file has the same message',
    ],
  },
  {
    situation: 'Review image fails in a card',
    tests: ['Review image fails in a card: image hidden'],
  },
  {
    situation: 'Service unknown',
    tests: ['what does not exist is said with the right status'],
  },
  { situation: 'Order creation failed 3 times', tests: ['Order creation failed 3 times'] },
  { situation: 'Payment script not ready', tests: ['Payment script not ready'] },
  { situation: 'Payment window dismissed', tests: ['Payment window dismissed'] },
  {
    situation: 'Payment success, then "Email Sent!"',
    tests: ['a visitor books, pays and is confirmed'],
  },
  {
    situation: 'Payment success, then "Email Notification Issue"',
    tests: ['Payment success whose mail could not be sent'],
  },
  {
    situation: 'Verification: timeouts, retries, unable, "Payment Verification Failed"',
    tests: ['Verification that ends without money'],
  },
  {
    situation: 'Verification: "Payment was cancelled or expired" and "Payment Failed"',
    tests: ['Payment was cancelled or expired'],
  },
  {
    situation: 'Verification success, and "Booking Complete!"',
    tests: ['a visitor books, pays and is confirmed'],
  },
  {
    situation: 'Manual acceptance',
    tests: ['Manual acceptance asks first, and is verified'],
  },
  {
    situation: 'Contact: empty field, and success',
    tests: ['a message arrives once, and so does the note that it did'],
  },
  {
    situation: 'Contact: failure',
    tests: ['what was typed outlives a server that is away, and a reload'],
  },
  {
    situation: 'Calendar booking failure (/book)',
    tests: ['Calendar booking failure: an alert, and the step stays'],
  },
  { situation: 'Review', tests: ['Review: what is missing, what failed, and the thanks'] },
  { situation: 'Admin', tests: ['Admin: granted, denied, removed and not removed'] },
  {
    situation: 'Follow-up e-mail',
    tests: ['a visitor agrees, signs in, pays in another tab and is confirmed'],
  },
  { situation: 'Uncaught render error', tests: ['Uncaught render error'] },
  {
    situation: 'Unknown route',
    tests: ['what does not exist is said with the right status'],
  },
  {
    situation: 'Identity library: an error in the URL',
    tests: ['Identity library: an error in the address'],
  },
  {
    situation: 'Identity library: sign-out ignores 401, 403 and 404',
    tests: ['Identity library: signing out ignores 401, 403 and 404'],
  },
  {
    situation: 'Identity library: sessions, PKCE, JWKS, signatures, tokens and chains',
    outside: 'the library says it to its caller; pages put every failure in words of their own',
  },
  {
    situation: 'Missing publishable key or provider',
    outside: 'messages of a library that is not used; the specification calls them no behaviour',
  },
];
