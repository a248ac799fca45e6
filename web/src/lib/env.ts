/** Where the parts are, seen from the page: always on the origin that served it. */
export const RPC_BASE = '/rpc';

/** The identity service's base address; auth-js wants it absolute. */
export function authUrl(): string {
  return `${window.location.origin}/auth/v1`;
}
