/** For a dialog that exists only while it is open: it closes, gives the focus back, and goes. */
import { useCallback, useEffect, useState } from 'react';

export function useClosing(onClosed: () => void): { open: boolean; close: () => void } {
  const [open, setOpen] = useState(true);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    // The dialog's own effect, which closes it, has run by now.
    if (!open) onClosed();
  }, [open, onClosed]);
  return { open, close };
}
