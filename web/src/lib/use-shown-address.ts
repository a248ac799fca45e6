/**
 * An address as people read it, on pages that nearly always show one of plain letters: the code for
 * the others comes when it is needed.
 */
import { useEffect, useState } from 'react';
import { importWithRetry } from './import-with-retry';
import { lazyLoader } from './use-lazy-module';

const INTERNATIONAL = 'xn--';

const code = lazyLoader(
  async () => (await importWithRetry(() => import('./shown-address'))).shownAddress,
);

export function useShownAddress(address: string): string {
  const isInternational = address.includes(INTERNATIONAL);
  const [, setCame] = useState(code.known !== undefined);

  useEffect(() => {
    if (!isInternational || code.known) return;
    let stopped = false;
    const show = () => {
      if (!stopped) setCame(true);
    };
    // Where it does not come, the form in which the address is sent is shown.
    code.load().then(show, () => {});
    return () => {
      stopped = true;
    };
  }, [isInternational]);

  return isInternational && code.known ? code.known(address) : address;
}
