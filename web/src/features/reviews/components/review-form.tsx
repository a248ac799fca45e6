import type { FormEvent, ReactNode } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Alert, Reference } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { SelectField } from '@/components/ui/select-field';
import { TextArea } from '@/components/ui/text-area';
import { TextField } from '@/components/ui/text-field';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { useAuth } from '@/lib/auth';
import { classes } from '@/lib/classes';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice } from '@/lib/practice';
import { useHydrated } from '@/lib/use-hydrated';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { Invitation } from '../hooks/use-invitation';
import { type ReviewFormState, useReviewForm } from '../hooks/use-review-form';
import { lettersLeft } from '../review-rules';
import { PhotoField } from './photo-field';
import { RatingInput } from './rating-input';

const badgeOffer = lazyLoader(
  async () => (await importWithRetry(() => import('./badge-offer'))).BadgeOffer,
);

type ReviewFormProps = { invitation: Invitation; onPublished: (review: Review) => void };
type Form = { form: ReviewFormState };

const NO_SERVICE = { value: '', label: 'Choose a service' };

function toOption(service: string) {
  return { value: service, label: service };
}

/** Disabled fields keep the colours of enabled ones. */
const AS_ENABLED =
  '[&_:is(input,select,textarea)]:opacity-100! ' +
  '[&_:is(input:not([type=radio],[type=file]),select,textarea)]:bg-surface! ' +
  '[&_:is(input:not([type=radio],[type=file]),select,textarea)]:text-ink!';

/**
 * Prerendered fields take no letters that hydration would wipe out again. They look from the start
 * as they will a moment later.
 */
function Inputs({ hydrated, children }: { hydrated: boolean; children: ReactNode }) {
  return (
    <fieldset disabled={!hydrated} className={classes('contents', !hydrated && AS_ENABLED)}>
      {children}
    </fieldset>
  );
}

function Writer({ form: { fields, phase } }: Form) {
  const readOnly = phase.name !== 'idle';
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <TextField
        label="Name"
        autoComplete="name"
        hint="Shown with your review."
        readOnly={readOnly}
        {...fields.input('name')}
      />
      <EmailField
        hint="Never shown. Only we see it."
        readOnly={readOnly}
        {...fields.input('email')}
      />
    </div>
  );
}

function Words({ form: { fields, phase } }: Form) {
  const left = lettersLeft(fields.values.text);
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        label="Your review"
        rows={6}
        placeholder="What brought you here, and what was it like?"
        readOnly={phase.name !== 'idle'}
        {...fields.input('text')}
      />
      <p role="status" className="text-right text-sm text-ink-2 numeric empty:hidden">
        {left}
      </p>
    </div>
  );
}

const PROGRESS =
  'h-2 w-full appearance-none overflow-hidden rounded-full bg-brand-soft ' +
  '[&::-webkit-progress-bar]:bg-brand-soft [&::-webkit-progress-value]:bg-brand ' +
  '[&::-moz-progress-bar]:bg-brand';

function Progress({ form: { phase, cancel } }: Form) {
  if (phase.name !== 'uploading') return null;
  const percent = Math.round(phase.part * 100);
  return (
    <div className="flex items-center gap-4">
      <div className="flex flex-1 flex-col gap-1.5">
        <label htmlFor="photo-progress" className="text-sm font-semibold numeric">
          Sending your photo… {percent} %
        </label>
        <progress id="photo-progress" max={100} value={percent} className={PROGRESS} />
      </div>
      <Button variant="secondary" size="sm" onClick={cancel}>
        Cancel
      </Button>
    </div>
  );
}

function Problem({ form: { problem, phase, submitWithoutInvitation } }: Form) {
  if (!problem || phase.name !== 'idle') return null;
  const invitation = problem.kind === 'invitation';
  return (
    <Alert
      tone={invitation ? 'warn' : 'error'}
      live
      title={problem.title}
      action={
        invitation ? (
          <Button variant="secondary" size="sm" onClick={() => void submitWithoutInvitation()}>
            Publish without the badge
          </Button>
        ) : undefined
      }
    >
      <p>{problem.message}</p>
      <Reference id={problem.referenceId} />
    </Alert>
  );
}

type BadgeProps = Form & { invitation: string };

/** Only for reviewers who may get a badge, so its code is loaded for them alone. */
function Badge({ form: { withoutBadge, setWithoutBadge, phase }, invitation }: BadgeProps) {
  return (
    <LazySection
      code={badgeOffer}
      resting={null}
      missing="Whether your review carries a badge could not be loaded"
    >
      {(BadgeOffer) => (
        <BadgeOffer
          invitation={invitation}
          withoutBadge={withoutBadge}
          disabled={phase.name !== 'idle'}
          onChange={setWithoutBadge}
        />
      )}
    </LazySection>
  );
}

/** Every visitor may write a review; it is published at once. */
export function ReviewForm({ invitation, onPublished }: ReviewFormProps) {
  const { user } = useAuth();
  const { reviewServices } = usePractice();
  const hydrated = useHydrated();
  const form = useReviewForm({ user, invitation, onPublished });
  const { fields, photo, phase } = form;
  const busy = phase.name !== 'idle';

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void form.submit();
  }

  return (
    <form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-6">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <Inputs hydrated={hydrated}>
        <RatingInput
          name="rating"
          value={fields.values.rating}
          error={fields.errors.rating}
          disabled={busy}
          onChange={(rating) => fields.set('rating', rating)}
        />
        <Writer form={form} />
        <SelectField
          label="Service"
          options={[NO_SERVICE, ...reviewServices.map(toOption)]}
          disabled={busy}
          {...fields.input('service')}
        />
        <Words form={form} />
        <PhotoField photo={photo} disabled={busy} />
        {user || invitation.secret ? (
          <Badge key={user?.id ?? ''} invitation={invitation.secret} form={form} />
        ) : null}
      </Inputs>
      <Problem form={form} />
      <Progress form={form} />
      <div className="flex flex-col gap-3">
        <p className="text-sm text-ink-2">
          Your name, your review and your photo become public. Your e-mail address does not.
        </p>
        <Button
          type="submit"
          size="lg"
          disabled={!hydrated}
          busy={busy}
          busyText="Publishing…"
          className="sm:self-start"
        >
          Publish Review
        </Button>
      </div>
    </form>
  );
}
