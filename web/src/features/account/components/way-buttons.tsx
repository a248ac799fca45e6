/** The other ways to sign in, below the form. */
import { Button } from '@/components/ui/button';
import type { ProviderOffer } from '../api/account-calls';
import { leaveForProvider } from '../api/provider-sign-in';
import { useCall } from '../hooks/use-call';
import { useProviders } from '../hooks/use-providers';
import { accountPath } from '../return-path';
import { ProblemNotice } from './account-problem';

type ProviderButtonsProps = { back: string; providers: readonly ProviderOffer[] };

/** Leaves the site for the other service, which leads back to the sign-in page. */
function ProviderButtons({ back, providers }: ProviderButtonsProps) {
  const call = useCall();

  async function go({ id }: ProviderOffer) {
    const redirectTo = `${window.location.origin}${accountPath('/sign-in', back)}`;
    await call.run(() => leaveForProvider(id, redirectTo));
  }

  return (
    <>
      <ProblemNotice problem={call.problem} />
      {providers.map((provider) => (
        <Button
          key={provider.id}
          variant="secondary"
          block
          busy={call.busy}
          onClick={() => void go(provider)}
        >
          Continue with {provider.name}
        </Button>
      ))}
    </>
  );
}

export type PasskeyWay = { supported: boolean; busy: boolean; press: () => void };

type WayButtonsProps = { back: string; passkey: PasskeyWay };

/** A passkey where the browser has them, and the services that the settings switch on. */
export function WayButtons({ back, passkey }: WayButtonsProps) {
  const providers = useProviders();
  if (!passkey.supported && providers.length === 0) return null;
  return (
    <div className="mt-6 flex flex-col gap-3 border-t border-hairline pt-6">
      <h2 className="text-center font-sans text-base font-semibold tracking-normal text-ink-2">
        Or without a password
      </h2>
      {passkey.supported ? (
        <Button
          variant="secondary"
          block
          busy={passkey.busy}
          busyText="Waiting for your passkey…"
          onClick={passkey.press}
        >
          Use a passkey
        </Button>
      ) : null}
      <ProviderButtons back={back} providers={providers} />
    </div>
  );
}
