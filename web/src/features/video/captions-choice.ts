/** Whether someone wants captions, as they chose last; nothing where they never chose. */
const KEY = 'videoCaptions';

export function captionsChoice(): 'on' | 'off' | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'on' || kept === 'off' ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepCaptionsChoice(choice: 'on' | 'off'): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Storage can be refused; the choice then lasts as long as the player.
  }
}
