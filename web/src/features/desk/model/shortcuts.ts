/** The desk's single keys: what each does, and when a press is meant for them. */
import type { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { keepsWaitList } from './acts';

export type Shortcut = { key: string; label: string; mayHave?: (role: StaffRole) => boolean } & (
  | { to: string }
  /** Presses the screen's own way to the day or week before or after. */
  | { step: 'before' | 'after' }
  /** Moves the focus to the next row or the one before. */
  | { rows: 1 | -1 }
  | { opensList: true }
);

const SHORTCUTS: readonly Shortcut[] = [
  { key: '/', label: 'Find a booking', to: '/desk/find' },
  { key: 't', label: 'Today', to: '/desk' },
  { key: 'c', label: 'Calendar', to: '/desk/calendar' },
  { key: 'n', label: 'Book for a client', to: '/desk/new' },
  { key: 'w', label: 'Wait list', to: '/desk/waiting', mayHave: keepsWaitList },
  { key: '[', label: 'The day or week before', step: 'before' },
  { key: ']', label: 'The day or week after', step: 'after' },
  { key: 'j', label: 'The next row; Enter opens it', rows: 1 },
  { key: 'k', label: 'The row before', rows: -1 },
  { key: '?', label: 'This list', opensList: true },
];

/** Those of a role: none leads to a screen that it does not have. */
export function shortcutsOf(role: StaffRole): Shortcut[] {
  return SHORTCUTS.filter(({ mayHave }) => mayHave?.(role) ?? true);
}

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
export function shortcutOf(event: KeyboardEvent, role: StaffRole): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined;
  if (isWithModifier(event) || isTyped(event)) return undefined;
  if (document.querySelector('dialog[open]')) return undefined;
  const key = event.key.toLowerCase();
  return shortcutsOf(role).find((shortcut) => shortcut.key === key);
}
