/** Tests of the client library: a practice that is open to apps of any maker, a page per flow. */
import { type Flow, type LibraryClient, LibraryPage } from './client-library';
import { newPerson, type Person } from './people';
import { HOST_NAME, Practice, START_MS_MAX, startPractice, until } from './practice';
import { codeOf, linkOf, type Mail, Sandbox } from './sandbox';
import { plainTest } from './test';

const ANY_CLIENT = {
  // Passkeys do not work at a number.
  [HOST_NAME]: 'localhost',
  IDENTITY_CLIENTS: 'any',
  IDENTITY_CONFIRM_EMAIL: 'true',
  // All tests call from one address.
  GATEWAY_LIMIT_SIGN_IN: '2000/2000',
};

export type World = {
  practice: Practice;
  sandbox: Sandbox;
  /** The page of the flow, loaded once. */
  library: (flow: Flow) => Promise<LibraryPage>;
};

type OfWorker = { world: World };

export const libraryTest = plainTest.extend<object, OfWorker>({
  world: [
    async ({ browser }, provide) => {
      const own = await startPractice('library', ANY_CLIENT);
      const practice = new Practice(own.data);
      const context = await browser.newContext();
      const pages = new Map<Flow, Promise<LibraryPage>>();
      const open = async (flow: Flow) => {
        const page = await context.newPage();
        return LibraryPage.open(page, practice.url, flow);
      };
      const library = (flow: Flow) => {
        const opened = pages.get(flow) ?? open(flow);
        pages.set(flow, opened);
        return opened;
      };
      await provide({ practice, sandbox: new Sandbox(practice.sandboxUrl), library });
      await context.close();
      await own.stop();
    },
    { scope: 'worker', timeout: START_MS_MAX },
  ],
});

/** The newest mail with a code to an address, as soon as there is one; notices have none. */
function newestMail({ sandbox }: World, to: string): Promise<Mail> {
  return until(async () => {
    const mails = await sandbox.inbox(to);
    return mails.find(({ text }) => /(?<!\d)(?:\d{6}|\d{8})(?!\d)/.test(text));
  });
}

/** What a mail's link has behind its #. */
export async function mailedLink(world: World, to: string): Promise<URLSearchParams> {
  const { hash } = new URL(linkOf(await newestMail(world, to)));
  return new URLSearchParams(hash.slice(1));
}

/** Where the button of our page leads a person who opened a mail's link of another app. */
export async function press(world: World, link: URLSearchParams): Promise<URL> {
  const body = JSON.stringify({
    type: link.get('type'),
    token_hash: link.get('token_hash'),
    answer: 'redirect',
  });
  const answer = await fetch(`${world.practice.url}/auth/v1/verify`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`verify answered ${answer.status}: ${await answer.text()}`);
  return new URL(((await answer.json()) as { redirect_to: string }).redirect_to);
}

/** A new person signs in by a code. */
export async function arrive(world: World, client: LibraryClient, name: string): Promise<Person> {
  const person = newPerson(name);
  const { email, firstName, lastName } = person;
  await client.good('signInWithOtp', { email, options: { data: { firstName, lastName } } });
  const token = codeOf(await newestMail(world, email));
  await client.good('verifyOtp', { email, token, type: 'email' });
  return person;
}
