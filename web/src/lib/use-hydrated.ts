import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** False in prerendered HTML and while it is being hydrated, true ever after. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
