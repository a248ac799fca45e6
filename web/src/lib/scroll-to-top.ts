/** To the top: smoothly, or at once for people who want less movement. */
export function scrollToTop(): void {
  // CSS cannot take back a smooth scroll that a script asks for.
  const less = window.matchMedia?.('(prefers-reduced-motion: reduce)').matches;
  window.scrollTo({ top: 0, behavior: less ? 'instant' : 'smooth' });
}
