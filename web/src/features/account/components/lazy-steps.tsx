/**
 * What few sign-ins need: a second step, a password, a new account. The pages that begin with one
 * code load them when they are asked for.
 */
import { LazySection } from '@/components/lazy-section';
import { Spinner } from '@/components/ui/spinner';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';

const secondStep = lazyLoader(() => importWithRetry(() => import('./second-step')));
const signIn = lazyLoader(() => importWithRetry(() => import('./sign-in-form')));
const signUp = lazyLoader(() => importWithRetry(() => import('./sign-up-form')));
const newPassword = lazyLoader(() => importWithRetry(() => import('./recover-form')));

const RESTING = <Spinner className="self-center" />;
const MISSING = 'This step could not be loaded.';

type PropsOf<Module, Name extends keyof Module> = Module[Name] extends (props: infer P) => unknown
  ? P
  : never;

export function LazySecondStep(props: PropsOf<typeof import('./second-step'), 'SecondStep'>) {
  return (
    <LazySection code={secondStep} resting={RESTING} missing={MISSING}>
      {({ SecondStep }) => <SecondStep {...props} />}
    </LazySection>
  );
}

export function LazySignIn(props: PropsOf<typeof import('./sign-in-form'), 'SignInForm'>) {
  return (
    <LazySection code={signIn} resting={RESTING} missing={MISSING}>
      {({ SignInForm }) => <SignInForm {...props} />}
    </LazySection>
  );
}

export function LazySignUp(props: PropsOf<typeof import('./sign-up-form'), 'SignUpForm'>) {
  return (
    <LazySection code={signUp} resting={RESTING} missing={MISSING}>
      {({ SignUpForm }) => <SignUpForm {...props} />}
    </LazySection>
  );
}

export function LazyNewPassword(
  props: PropsOf<typeof import('./recover-form'), 'NewPasswordForm'>,
) {
  return (
    <LazySection code={newPassword} resting={RESTING} missing={MISSING}>
      {({ NewPasswordForm }) => <NewPasswordForm {...props} />}
    </LazySection>
  );
}
