/** The second step of the account that is signed in, with the ways that it has. */
import type { Factor } from '@supabase/auth-js';
import { useEffect, useState } from 'react';
import { Skeleton } from '@/components/ui/skeleton';
import { authClient } from '@/lib/auth';
import { codeFactorsOf } from '../second-factor';
import { SecondStep } from './second-step';

export function OwnSecondStep({ onDone }: { onDone: () => void }) {
  const [factors, setFactors] = useState<readonly Factor[]>();

  useEffect(() => {
    let isHere = true;
    const show = (known: readonly Factor[]) => {
      if (isHere) setFactors(known);
    };
    authClient()
      .then(async (client) => (await client.getUser()).data.user)
      .then(
        (user) => show(codeFactorsOf(user)),
        // Without them there are still a passkey and a recovery code.
        () => show([]),
      );
    return () => {
      isHere = false;
    };
  }, []);

  if (!factors) return <Skeleton className="h-48 rounded-card" />;
  return <SecondStep factors={factors} onDone={onDone} />;
}
