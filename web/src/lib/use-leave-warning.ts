import { useEffect } from 'react';

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** While something is typed that is kept nowhere, the browser asks before it leaves the page. */
export function useLeaveWarning(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [unsaved]);
}
