/**
 * Where the toast area is mounted. A modal dialog makes everything outside of it inert, so while
 * one is open the toasts are shown inside of it, where their buttons can be pressed.
 */
let hosts: readonly HTMLElement[] = [];
const listeners = new Set<() => void>();

function publish(next: readonly HTMLElement[]): void {
  hosts = next;
  for (const listener of listeners) listener();
}

/** Offers an open dialog as the place of toasts; the newest offer is taken. Returns how to end it. */
export function offerToastHost(element: HTMLElement): () => void {
  publish([...hosts, element]);
  return () => publish(hosts.filter((host) => host !== element));
}

export function subscribeToToastHost(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The open dialog that shows the toasts, or null where the page does. */
export function currentToastHost(): HTMLElement | null {
  return hosts.at(-1) ?? null;
}
