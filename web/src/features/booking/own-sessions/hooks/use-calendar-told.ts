/** Says what became of the address after a press, also where only a later read tells it. */
import { type RefObject, useEffect, useRef } from 'react';
import { toast } from '@/components/ui/toast-store';
import { isFocusLost } from '../focus-lost';

function titleOf(before: string, path: string): string {
  if (path === '') return 'Your calendar address is stopped';
  return before === '' ? 'Your calendar address is made' : 'You have a new calendar address';
}

/**
 * Gives what each press calls. The focus goes to the frame where its button is gone; `path` is
 * undefined until it is read.
 */
export function useCalendarTold(path: string | undefined, frame: RefObject<HTMLElement | null>) {
  const last = useRef(path);
  const wasPressed = useRef(false);
  useEffect(() => {
    const before = last.current;
    last.current = path;
    if (before === undefined || path === undefined || before === path) return;
    if (wasPressed.current) toast({ title: titleOf(before, path) });
    wasPressed.current = false;
    if (isFocusLost()) frame.current?.focus();
  }, [path, frame]);
  return () => {
    wasPressed.current = true;
  };
}
