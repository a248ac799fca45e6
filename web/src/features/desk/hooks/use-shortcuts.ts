/** Does what the desk's single keys are for. */
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMember } from '../member';
import { type Shortcut, shortcutOf } from '../model/shortcuts';

const FIND = '/desk/find';

function inMain(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];
}

/** To the next row or the one before; from elsewhere to the first or last. */
function moveTo(by: 1 | -1): void {
  const rows = inMain('[data-row]:not(:disabled)');
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? rows.at(by > 0 ? 0 : -1) : rows[at + by];
  next?.focus();
}

export function useShortcuts(on: boolean, onList: () => void): void {
  const { role } = useMember();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  function act(shortcut: Shortcut): void {
    if ('opensList' in shortcut) onList();
    else if ('rows' in shortcut) moveTo(shortcut.rows);
    else if ('step' in shortcut) inMain(`[data-step="${shortcut.step}"]`)[0]?.click();
    else if (shortcut.to === FIND && pathname === FIND) inMain('input[type="search"]')[0]?.focus();
    else void navigate(shortcut.to, { state: { toField: true } });
  }

  const latest = useRef(act);
  latest.current = act;

  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event, role);
      if (!shortcut || (event.repeat && !('rows' in shortcut))) return;
      // The sign is not to stand in the field that gets the focus.
      event.preventDefault();
      latest.current(shortcut);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [on, role]);
}
