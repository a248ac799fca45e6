/** Where signing in leads: back to the page before it, and never to another site. */

const HOME = '/';
const ACCOUNT = '/account';
const ACCOUNT_PAGES = ['/sign-in', '/sign-up', '/recover', '/confirm'];

/** Browsers take such a path for the address of another site. */
const OTHER_SITE = /^[/\\]{2}/;

/** The "return" of the address if it is a path of this site, otherwise the home page. */
export function returnPath(search: string, origin: string): string {
  const asked = new URLSearchParams(search).get('return') ?? '';
  if (!asked.startsWith('/')) return HOME;
  try {
    const url = new URL(asked, origin);
    if (url.origin !== origin || ACCOUNT_PAGES.includes(url.pathname)) return HOME;
    const path = `${url.pathname}${url.search}${url.hash}`;
    return OTHER_SITE.test(path) ? HOME : path;
  } catch {
    return HOME;
  }
}

/** The "return" of the account page; nothing if it leads no further than the pages themselves. */
export function wayBack(search: string, origin: string): string | undefined {
  const path = returnPath(search, origin);
  const isAccount = new URL(path, origin).pathname === ACCOUNT;
  return path === HOME || isAccount ? undefined : path;
}

/** Where a second step is set up, and from there back to the same place. */
export function setUpPath(back: string): string {
  const query = back === HOME ? '' : `?return=${encodeURIComponent(back)}`;
  return `${ACCOUNT}${query}#second-step`;
}

/** Where the link of a mail leads on: to the "return" of an account page, or to the place itself. */
export function linkReturnPath(redirectTo: string, origin: string): string {
  try {
    const { pathname, search, hash } = new URL(redirectTo, origin);
    if (ACCOUNT_PAGES.includes(pathname)) return returnPath(search, origin);
    return returnPath(`?return=${encodeURIComponent(`${pathname}${search}${hash}`)}`, origin);
  } catch {
    return HOME;
  }
}

/** Another page of the account that leads back to the same place. */
export function accountPath(page: '/sign-in' | '/sign-up' | '/recover', back: string): string {
  return back === HOME ? page : `${page}?return=${encodeURIComponent(back)}`;
}
