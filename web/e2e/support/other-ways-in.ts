/** Phones and other providers, played by the sandbox, for programs of other makers. */
import { until } from './practice';

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Where a page leads without being opened. */
async function ledTo(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual' });
  const place = answer.headers.get('location');
  if (!place) throw new Error(`${url} answered ${answer.status} and leads to no other place`);
  return place;
}

/** A number in India that no other test has. */
export function newPhone(): string {
  return `+919${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`;
}

/** The digits of the newest message to a phone, as soon as there are so many messages. */
export function digitsOf(sandbox: string, phone: string, count: number): Promise<string> {
  return until(async () => {
    const answer = await fetch(`${sandbox}/api/messages?${new URLSearchParams({ to: phone })}`);
    const messages = (await answer.json()) as { text: string }[];
    return messages.length >= count ? /^\d+/.exec(messages[0]?.text ?? '')?.[0] : undefined;
  });
}

export type ProvidersPerson = { sub: string; email: string; email_verified: true; name: string };

/** The person approves at the provider; the result is where the browser is led then. */
export async function approve(
  { url, sandboxUrl }: { url: string; sandboxUrl: string },
  page: string,
  person: ProvidersPerson,
): Promise<URL> {
  // The server's own address leads to the provider.
  const there = page.startsWith(url) ? await ledTo(page) : page;
  const approved = await post(`${sandboxUrl}/api/oidc/approve`, { url: there, person });
  return new URL(await ledTo((approved as { redirect: string }).redirect));
}

/** An ID token as the provider's own button gives it to an app. */
export async function idTokenOf(sandbox: string, person: ProvidersPerson): Promise<string> {
  const made = (await post(`${sandbox}/api/oidc/id_token`, person)) as { id_token: string };
  return made.id_token;
}
