/**
 * Runs the task at the first sign that somebody uses the page: a key or a press. For code
 * that forms need when they are sent: it is there long before that, and whoever only reads never
 * loads it. Returns how to call it off.
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
