/** The desk's single keys, and the list of them. Its code comes after the screen, on wide screens. */
import { useState } from 'react';
import { useShortcuts } from '../hooks/use-shortcuts';
import { useKeysOn } from '../keys-choice';
import { ShortcutsDialog } from './shortcuts-dialog';

export function Shortcuts() {
  const [listed, setListed] = useState(false);
  useShortcuts(useKeysOn(), () => setListed(true));
  return listed ? <ShortcutsDialog onClose={() => setListed(false)} /> : null;
}
