/** The desk's single keys: what each does, and when a press is meant for them. */

export type Shortcut = { key: string; label: string } & (
  | { to: string }
  /** Presses the screen's own way to the day or week before or after. */
  | { step: 'before' | 'after' }
  /** Moves the focus to the next row or the one before. */
  | { rows: 1 | -1 }
  | { opensList: true }
);

export const SHORTCUTS: readonly Shortcut[] = [
  { key: '/', label: 'Find a booking', to: '/desk/find' },
  { key: 't', label: 'Today', to: '/desk' },
  { key: 'c', label: 'Calendar', to: '/desk/calendar' },
  { key: 'n', label: 'Book for a client', to: '/desk/new' },
  { key: '[', label: 'The day or week before', step: 'before' },
  { key: ']', label: 'The day or week after', step: 'after' },
  { key: 'j', label: 'The next row; Enter opens it', rows: 1 },
  { key: 'k', label: 'The row before', rows: -1 },
  { key: '?', label: 'This list', opensList: true },
];

/** Where keys are typed, or choose something by themselves. */
const TYPED_INTO =
  'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable=""], ' +
  '[contenteditable="true"]';

function isTyped({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest(TYPED_INTO) !== null;
}

/** Where signs need AltGr, browsers report it as Ctrl and Alt together. */
function isWithModifier(event: KeyboardEvent): boolean {
  if (event.getModifierState('AltGraph')) return false;
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** The shortcut that a press is meant for: none while a person types, and none behind a dialog. */
export function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined;
  if (isWithModifier(event) || isTyped(event)) return undefined;
  if (document.querySelector('dialog[open]')) return undefined;
  const key = event.key.toLowerCase();
  return SHORTCUTS.find((shortcut) => shortcut.key === key);
}
