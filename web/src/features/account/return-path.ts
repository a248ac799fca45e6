/** Where somebody goes after signing in: back to where they came from, and never to another site. */

const HOME = '/';
const ACCOUNT_PAGES = ['/sign-in', '/sign-up', '/recover'];

/** The "return" of the address if it is a path of this site, otherwise the home page. */
export function returnPath(search: string, origin: string): string {
  const asked = new URLSearchParams(search).get('return') ?? '';
  if (!asked.startsWith('/')) return HOME;
  try {
    const url = new URL(asked, origin);
    if (url.origin !== origin || ACCOUNT_PAGES.includes(url.pathname)) return HOME;
    return `${url.pathname}${url.search}${url.hash}`;
  } catch {
    return HOME;
  }
}

/** Another page of the account that leads back to the same place. */
export function accountPath(page: '/sign-in' | '/sign-up' | '/recover', back: string): string {
  return back === HOME ? page : `${page}?return=${encodeURIComponent(back)}`;
}
