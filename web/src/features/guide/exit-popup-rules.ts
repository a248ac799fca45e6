/** When the guide may be offered to a visitor who is about to leave. */
import { readTab, writeTab } from '@/lib/tab-storage';

/** How long after the page was opened it is offered at the latest. */
export const EXIT_DELAY_MS = 30_000;

/** Says in the tab's session storage that it was offered; it never comes back in that session. */
const EXIT_KEY = 'exitPopupShown';

/** Where the browser keeps nothing, the document remembers. */
let shownHere = false;

export function wasShown(): boolean {
  return shownHere || readTab(EXIT_KEY) !== null;
}

export function markShown(): void {
  writeTab(EXIT_KEY, 'true');
  shownHere = readTab(EXIT_KEY) === null;
}

const TYPED_INTO = 'input, textarea, select, [contenteditable="true"]';

/** Dialogs and the menus of the header. */
const IN_FRONT = 'dialog[open], header [aria-expanded="true"]';

/** Whether something else is open in front of the page, to which Escape belongs then. */
export function isBehind(card: Element | null): boolean {
  return [...document.querySelectorAll(IN_FRONT)].some((other) => other !== card);
}

/** Whether it would interrupt: a dialog or menu is open, or a field has the focus. */
export function isBusy(): boolean {
  if (isBehind(null)) return true;
  return document.activeElement?.matches(TYPED_INTO) ?? false;
}

/** Whether the pointer went out of the window through its top; a finger has no such way. */
export function leavesThroughTop(event: MouseEvent): boolean {
  if (event.target !== document && event.target !== document.documentElement) return false;
  return event.clientY <= 0 && !window.matchMedia('(hover: none)').matches;
}
