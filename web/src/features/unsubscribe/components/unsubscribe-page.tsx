import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Alert, Reference } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice } from '@/lib/practice';
import { useHydrated } from '@/lib/use-hydrated';
import { useUnsubscribe, type View } from '../hooks/use-unsubscribe';

type Asking = ReturnType<typeof useUnsubscribe>;

const LINK = 'font-semibold text-brand underline underline-offset-4';
const BUSY = 'One moment…';

function Frame({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <div className="container-page flex min-h-[60dvh] flex-col py-12 lg:py-16">
      <div className="mx-auto flex w-full max-w-2xl flex-col gap-8">
        <PageHeading eyebrow="Mails from us" lead={lead}>
          {title}
        </PageHeading>
        <Card className="flex flex-col items-start gap-6 sm:p-8">{children}</Card>
      </div>
    </div>
  );
}

function Failed({ failure }: Pick<Asking, 'failure'>) {
  if (!failure) return null;
  const { title, message, referenceId } = failure;
  return (
    <Alert tone="error" live title={title} className="self-stretch">
      <p>{message}</p>
      <Reference id={referenceId} />
    </Alert>
  );
}

function WhatStops() {
  return (
    <dl className="flex flex-col gap-5">
      <div>
        <dt className="font-semibold">What stops</dt>
        <dd className="text-ink-2">
          The meditation guide by mail, also when it is asked for again (you can always{' '}
          <AppLink to="/meditation-guide" className={LINK}>
            read it here
          </AppLink>
          ), the note that a message to us has arrived, and the thank-you after a session with its
          invitation to write a review.
        </dd>
      </div>
      <div>
        <dt className="font-semibold">What does not</dt>
        <dd className="text-ink-2">
          Everything about your bookings and your account: confirmations, reminders, changes,
          receipts and codes. You need them for your sessions.
        </dd>
      </div>
    </dl>
  );
}

/**
 * The form is a real one: before the page's own code runs, pressing the button sends what a mail
 * program would send, to the address with the secret in it. The link does not say whether it was
 * used before, so the page offers both ways.
 */
function Ask({ sending, failure, press }: Asking) {
  const hydrated = useHydrated();
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void press('end');
  }
  return (
    <Frame title="Unsubscribe" lead="One press, and no questions asked.">
      <WhatStops />
      <Failed failure={failure} />
      <form method="post" onSubmit={onSubmit}>
        <input type="hidden" name="List-Unsubscribe" value="One-Click" />
        <Button type="submit" size="lg" busy={sending === 'end'} busyText={BUSY}>
          Unsubscribe
        </Button>
      </form>
      <div className="flex flex-col items-start gap-3 self-stretch border-t border-hairline pt-6">
        <p className="text-ink-2">Did you unsubscribe before, and would like these mails back?</p>
        <Button
          variant="secondary"
          disabled={!hydrated}
          busy={sending === 'resume'}
          busyText={BUSY}
          onClick={() => void press('resume')}
        >
          Get These Mails Again
        </Button>
      </div>
    </Frame>
  );
}

type WaysOnProps = { asking: Asking; back: NonNullable<Asking['sending']>; label: string };

/** How it goes on after a change: to the start, or back to how it was before. */
function WaysOn({ asking: { canPress, sending, failure, press }, back, label }: WaysOnProps) {
  return (
    <>
      <Failed failure={failure} />
      <div className="flex flex-wrap gap-3">
        <Button to="/">Go to the start</Button>
        {canPress ? (
          <Button
            variant="secondary"
            busy={sending === back}
            busyText={BUSY}
            onClick={() => void press(back)}
          >
            {label}
          </Button>
        ) : null}
      </div>
    </>
  );
}

/** The mails have ended, and can be had again with one press. */
function Ended(asking: Asking) {
  return (
    <Frame
      title="You are unsubscribed"
      lead="No more guides, notes of arrival and thank-you mails from now on."
    >
      <p>
        Mails about your bookings and your account still come, so that you never miss a session. You
        can always{' '}
        <AppLink to="/meditation-guide" className={LINK}>
          read the meditation guide here
        </AppLink>
        .
      </p>
      <WaysOn asking={asking} back="resume" label="Undo" />
    </Frame>
  );
}

/** The mails come again, and can be ended as before. */
function Resumed(asking: Asking) {
  return (
    <Frame title="Our mails come again" lead="You are not unsubscribed any more.">
      <p>
        The meditation guide when you ask for it, the note that a message to us has arrived, and the
        thank-you after a session: from now on you get them as before.
      </p>
      <WaysOn asking={asking} back="end" label="Unsubscribe" />
    </Frame>
  );
}

function BadLink() {
  const { email } = usePractice();
  return (
    <Frame
      title="This link is not complete"
      lead="Some mail programs cut long links in two. Opening it has changed nothing."
    >
      <p>
        Please open the link at the foot of our mail once more, or copy all of it into the address
        bar. You can also write to{' '}
        <a href={`mailto:${email}?subject=Unsubscribe`} className={LINK}>
          {email}
        </a>{' '}
        from the address you want removed.
      </p>
    </Frame>
  );
}

/** A new answer begins at its heading. The first one is the page itself. */
function useFocusOnAnswer(view: View): void {
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    document.querySelector<HTMLElement>('main h1')?.focus();
  }, [view]);
}

/** /unsubscribe?t=…: asks first. Opening the link, as scanners of mails do, changes nothing. */
export function UnsubscribePage() {
  const asking = useUnsubscribe();
  const { view } = asking;
  useFocusOnAnswer(view);
  switch (view) {
    case 'ended':
      return <Ended {...asking} />;
    case 'resumed':
      return <Resumed {...asking} />;
    case 'bad-link':
      return <BadLink />;
    default:
      return <Ask {...asking} />;
  }
}
