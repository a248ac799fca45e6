/**
 * The error catalogue: every error situation with the tests that show it, or with the reason why
 * there is none. `error-catalogue.test.ts` fails where a title here has no test.
 */
export type Line = { situation: string } & (
  | { tests: readonly string[] }
  /** Why no page of ours can ever say it. */
  | { outside: string }
);

export const CATALOGUE: readonly Line[] = [
  {
    situation: 'Meditation guide send failure',
    tests: ['a failure keeps the address, and trying again is the same wish'],
  },
  {
    situation: 'Meditation guide success',
    tests: [
      'the guide is asked for; the toast says so, the field is empty and the popup may close',
      'it closes when the guide is on its way, and the toast says so',
    ],
  },
  {
    situation: 'Scheduling: "Failed to fetch event types"',
    tests: ['%s %s is said to the letter, and the step stays'],
  },
  {
    situation: 'Scheduling: "No event types found"',
    tests: ['%s %s is said to the letter, and the step stays'],
  },
  {
    situation: 'Scheduling: "Failed to create booking: …"',
    tests: ['%s %s is said to the letter, and the step stays'],
  },
  {
    situation: 'Video: "Failed to load video: …", and the fallback',
    tests: [
      'a failure has the specified words',
      'a file that does not come has its message, and another try plays it',
    ],
  },
  {
    situation: 'Review image fails in a card',
    tests: ['a picture that cannot be had is hidden'],
  },
  {
    situation: 'Service unknown',
    tests: ['an unknown service is said to be unknown'],
  },
  {
    situation: 'Order creation failed 3 times',
    tests: [
      'after the third failure the page has a message of its own',
      'an order that cannot be made is said in words, with a way to try again',
    ],
  },
  {
    situation: 'Payment script not ready',
    tests: ['a press that is too early says so and is done later'],
  },
  {
    situation: 'Payment window dismissed',
    tests: [
      'from payment to confirmation, by the stream',
      'neither a closed payment window nor a declined card is a dead end',
    ],
  },
  {
    situation: 'Payment success, then "Email Sent!"',
    tests: ['a visitor books, pays and is confirmed'],
  },
  {
    situation: 'Payment success, then "Email Notification Issue"',
    tests: ['from payment to confirmation, by the stream'],
  },
  {
    situation: 'Verification: timeouts, retries, unable, "Payment Verification Failed"',
    tests: ['a payment that does not come is asked for by the clock, and each end has its words'],
  },
  {
    situation: 'Verification: "Payment was cancelled or expired" and "Payment Failed"',
    tests: ['a time that was released while its payment was waited for says so'],
  },
  {
    situation: 'Verification success, and "Booking Complete!"',
    tests: ['a visitor books, pays and is confirmed'],
  },
  {
    situation: 'Manual acceptance',
    tests: ['a claim asks first, is not believed, and waits for the money'],
  },
  {
    situation: 'Contact: empty field, and success',
    tests: [
      'empty fields are asked for, and the first of them has the focus',
      'a message is sent; thanks, an empty form, and the top of the page',
    ],
  },
  {
    situation: 'Contact: failure',
    tests: ['a failure keeps every letter, and trying again is the same message'],
  },
  {
    situation: 'Calendar booking failure (/book)',
    tests: [
      'a payment that has not come is said kindly, and one that cannot be asked for is an alert',
    ],
  },
  {
    situation: 'Review',
    tests: [
      'without a rating the form asks for one in words and keeps what was typed',
      'a wrong picture has its message, and the form stays',
      'a failure keeps the form, and trying again has the same key',
      'a review is published, the form is empty again and the new card has the focus',
    ],
  },
  {
    situation: 'Admin',
    tests: [
      'the right password opens the list with everything that staff may see',
      'a refused password is said, cleared and asked for again',
      'a deletion asks once, leaves at once, and can be undone',
      'a deletion that fails brings the row back',
    ],
  },
  {
    situation: 'Follow-up e-mail',
    tests: ['a visitor agrees, signs in, pays in another tab and is confirmed'],
  },
  {
    situation: 'Uncaught render error',
    tests: [
      'a render error leaves words and a way on, and no detail',
      'a page that cannot be drawn says so, and a refresh brings it',
    ],
  },
  {
    situation: 'Unknown route',
    tests: ['unknown paths have the 404 page'],
  },
  {
    situation: 'Identity library: an error in the URL',
    tests: ['an error that a link has left in the address of %s is told in words'],
  },
  {
    situation: 'Identity library: sign-out ignores 401, 403 and 404',
    tests: ['a session that the service knows no more (%i) is over, and nothing is told it again'],
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
