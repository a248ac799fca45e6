/** The first step of the booking flow: who books, signed in on this page by one code. */
import { useCallback } from 'react';
import { BookerForm } from '@/features/account/components/booker-form';
import { LazySecondStep } from '@/features/account/components/lazy-steps';
import { useArrival } from '@/features/account/hooks/use-arrival';
import { AuthStep } from '@/features/booking/booking-flow/components/auth-step';
import { afterSignIn } from '@/features/booking/booking-flow/current-step';
import { flowPath } from '@/features/booking/booking-flow/flow-url';
import type { Flow } from '@/features/booking/booking-flow/hooks/use-flow';

type SignInScreenProps = { flow: Flow; free: boolean };

export function SignInScreen({ flow, free }: SignInScreenProps) {
  const { user, moves, setRedeeming } = flow;
  const after = afterSignIn(moves.url);
  const { step } = after;
  const { replace } = moves;
  const leave = useCallback(() => {
    replace({ step });
    setRedeeming(false);
  }, [replace, step, setRedeeming]);
  const { next, arrive } = useArrival(leave);
  return (
    <AuthStep
      user={user}
      returnTo={flowPath(after)}
      free={free}
      onContinue={() => moves.push({ step: 'calendar-terms' })}
    >
      {next.name === 'second-step' ? (
        <LazySecondStep factors={next.factors} onDone={leave} />
      ) : (
        <BookerForm
          back={flowPath(after)}
          onRedeeming={setRedeeming}
          onDone={() => void arrive()}
        />
      )}
    </AuthStep>
  );
}
