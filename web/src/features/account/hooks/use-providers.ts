import { useEffect, useState } from 'react';
import { offeredProviders, type ProviderOffer } from '../api/account-calls';

/** The other services that one can sign in with; none until the settings are known. */
export function useProviders(): readonly ProviderOffer[] {
  const [providers, setProviders] = useState<readonly ProviderOffer[]>([]);
  useEffect(() => {
    let shown = true;
    offeredProviders().then(
      (offered) => shown && setProviders(offered),
      () => undefined,
    );
    return () => {
      shown = false;
    };
  }, []);
  return providers;
}
