/**
 * Runs the task at the first use of the page: a key or a press. For code that forms need when they
 * are sent: it is loaded long before that, and never for a visitor who only reads. Returns a
 * function that cancels it.
 */
const SIGNS = ['pointerdown', 'keydown'] as const;

export function onFirstInteraction(task: () => void): () => void {
  const off = () => {
    for (const sign of SIGNS) document.removeEventListener(sign, onSign);
  };
  function onSign(): void {
    off();
    task();
  }
  for (const sign of SIGNS) document.addEventListener(sign, onSign, { passive: true });
  return off;
}
