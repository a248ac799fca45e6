/** The name of a question or a group in the page's address: "how-can-i-pay". */
export function anchorOf(words: string): string {
  return words
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The anchor in "#how-can-i-pay"; empty for what is no address of this page. */
export function anchorIn(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, ''));
  } catch {
    return '';
  }
}

/**
 * Opens what the address points at, with all that it lies in, and leads there. The browser only
 * opens what lies around a target, and not the target itself.
 */
export function reveal(anchor: string): boolean {
  const target = anchor ? document.getElementById(anchor) : null;
  if (!(target instanceof HTMLDetailsElement)) return false;
  for (let at: Element | null | undefined = target; at; at = at.parentElement?.closest('details')) {
    (at as HTMLDetailsElement).open = true;
  }
  const summary = target.querySelector<HTMLElement>('summary');
  summary?.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'start' });
  return true;
}
