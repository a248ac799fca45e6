/** Starts the practice that the tests visit, and stops it afterwards. */
import { Practice, startPractice } from './support/practice';

/** All tests write from one address; a person who writes that many is slowed down. */
const MUCH_WRITTEN = {
  GATEWAY_LIMIT_REVIEWS: '200/200',
  GATEWAY_LIMIT_FORMS: '200/200',
  NOTIFICATIONS_CONTACT_LIMIT: '2000',
};

/** `SUKOON_E2E_DATA` names the folder of a practice that runs already; it is left alone then. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  const running = process.env.SUKOON_E2E_DATA;
  const own = running ? undefined : await startPractice('main', MUCH_WRITTEN);
  const data = own?.data ?? running ?? '';
  process.env.SUKOON_E2E_DATA = data;
  process.env.SUKOON_URL = new Practice(data).url;
  return own?.stop;
}
