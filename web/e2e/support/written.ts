/** What pages say of the day of something that a test has just written. */

function dayInPractice(at: Date): string {
  return at.toLocaleDateString('en-CA', { timeZone: 'Asia/Kolkata' });
}

/** Today; only where the practice's midnight has passed since then, it may be yesterday by now. */
export function dayOf(writtenAt: Date): RegExp {
  const isSame = dayInPractice(writtenAt) === dayInPractice(new Date());
  return isSame ? /Today/ : /Today|Yesterday/;
}
