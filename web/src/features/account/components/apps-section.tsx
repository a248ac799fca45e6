/** The authenticator apps of the account, and the phones that get codes. */
import type { Factor } from '@supabase/auth-js';
import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast-store';
import { authClient } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { renewSession } from '../api/take-session';
import { dataOf } from '../hooks/use-auth-call';
import { useOwnUser, useRefreshAccount } from '../hooks/use-own-user';
import { codeFactorsOf, endOfNumber, isPhone } from '../second-factor';
import { AskFirst } from './ask-first';
import { Row, Rows, Since } from './rows';
import { Read, Section } from './section';

const appEnrolment = lazyLoader(
  async () => (await importWithRetry(() => import('./app-enrolment'))).AppEnrolment,
);

const NAME = 'Authenticator app';

/** "Authenticator app", or with a number where that is taken. */
export function freeName(taken: readonly (string | undefined)[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    if (!taken.includes(name)) return name;
  }
}

async function remove(factorId: string): Promise<void> {
  await dataOf((await authClient()).mfa.unenroll({ factorId }));
  await renewSession();
}

type FactorRowProps = { factor: Factor; onRemoved: () => void };

function FactorRow({ factor, onRemoved }: FactorRowProps) {
  const phone = isPhone(factor);
  const name = factor.friendly_name || (phone ? 'Phone' : NAME);
  const note = phone ? (
    <>
      Codes by SMS to {endOfNumber(factor)}. <Since words="Added" at={factor.created_at} />
    </>
  ) : (
    <Since words="Added" at={factor.created_at} />
  );
  return (
    <Row title={name} note={note}>
      <AskFirst
        button="Remove"
        of={name}
        title={`Remove “${name}”?`}
        yes="Yes, remove it"
        no="Keep it"
        work={() => remove(factor.id)}
        onDone={onRemoved}
      >
        <p>
          Its codes do not sign you in any more. Without another second step your account is less
          safe, and your recovery codes end as well.
        </p>
      </AskFirst>
    </Row>
  );
}

export function AppsSection({ userId }: { userId: string }) {
  const reading = useOwnUser(userId);
  const refresh = useRefreshAccount(userId);
  const [adding, setAdding] = useState(false);

  function changed(title: string, description: string) {
    setAdding(false);
    toast({ title, description });
    void refresh('user', 'level', 'recovery-codes', 'sessions');
  }

  return (
    <Section
      id="second-step"
      title="Authenticator app"
      lead="A second step after your password: the app on your phone shows a code that changes twice a minute."
    >
      <Read reading={reading} missing="Your apps could not be read">
        {(user) => {
          const factors = codeFactorsOf(user);
          const names = (user.factors ?? []).map((factor) => factor.friendly_name);
          return (
            <>
              <Rows empty="You have not set one up.">
                {factors.map((factor) => (
                  <FactorRow
                    key={factor.id}
                    factor={factor}
                    onRemoved={() =>
                      changed(
                        isPhone(factor) ? 'Phone removed' : 'App removed',
                        'Its codes do not work any more.',
                      )
                    }
                  />
                ))}
              </Rows>
              {adding ? (
                <LazySection
                  code={appEnrolment}
                  resting={<Skeleton className="h-40 w-full rounded-card" />}
                  missing="This step could not be loaded"
                >
                  {(AppEnrolment) => (
                    <AppEnrolment
                      suggested={freeName(names)}
                      onDone={() =>
                        changed('App added', 'Make recovery codes now, in case you lose it.')
                      }
                      onCancel={() => setAdding(false)}
                    />
                  )}
                </LazySection>
              ) : (
                <Button
                  variant="secondary"
                  size="sm"
                  className="self-start"
                  onClick={() => setAdding(true)}
                >
                  Add an app
                </Button>
              )}
            </>
          );
        }}
      </Read>
    </Section>
  );
}
