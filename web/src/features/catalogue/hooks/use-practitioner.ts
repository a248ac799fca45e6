/** The practitioner that the address of a page with free times names. */
import { useSearchParams } from 'react-router';
import { chosenPractitioner } from '@/components/practitioner-choice';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useHydrated } from '@/lib/use-hydrated';

const KEY = 'practitioner';

/** Empty for anyone. The document was written without a choice, so it counts after that. */
export function usePractitioner(all: readonly Practitioner[]) {
  const [query, setQuery] = useSearchParams();
  const hydrated = useHydrated();
  return {
    chosen: hydrated ? chosenPractitioner(all, query.get(KEY) ?? '') : '',
    choose: (practitionerId: string) => {
      const changed = (query: URLSearchParams) => {
        if (practitionerId) query.set(KEY, practitionerId);
        else query.delete(KEY);
        return query;
      };
      setQuery(changed, { replace: true, preventScrollReset: true });
    },
  };
}
