/** Starts the practice that the tests visit, and stops it afterwards. */
import { Practice, startPractice } from './support/practice';

/** All tests write from one address; a person who writes that many is slowed down. */
const MANY_REVIEWS = { GATEWAY_LIMIT_REVIEWS: '200/200' };

/** `SUKOON_E2E_DATA` names the folder of a practice that runs already; it is left alone then. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  const running = process.env.SUKOON_E2E_DATA;
  const own = running ? undefined : await startPractice('main', MANY_REVIEWS);
  const data = own?.data ?? running ?? '';
  process.env.SUKOON_E2E_DATA = data;
  process.env.SUKOON_URL = new Practice(data).url;
  return own?.stop;
}
