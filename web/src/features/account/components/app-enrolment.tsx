/** Sets an authenticator app up: its picture and key, and the first code. Loaded when asked for. */
import type { GoTrueClient } from '@supabase/auth-js';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { authClient } from '@/lib/auth';
import { usePractice } from '@/lib/practice';
import { useFields } from '@/lib/use-fields';
import {
  CODE_LENGTH,
  type CodeValues,
  codeDigits,
  type NameValues,
  validateName,
} from '../account-rules';
import { dataOf, useAuthCall } from '../hooks/use-auth-call';
import { ProblemNotice } from './account-problem';
import { ProofNotice } from './proof-notice';

type EnrolmentProps = {
  /** A name that no other app has. */
  suggested: string;
  onDone: () => void;
  onCancel: () => void;
};

type Started = { id: string; picture: string; secret: string; uri: string };

const PREFIX = 'data:image/svg+xml;utf-8,';

/** The client library puts the drawing into an address as it is; a sign like # would end it. */
export function pictureAddress(drawing: string): string {
  const svg = drawing.startsWith(PREFIX) ? drawing.slice(PREFIX.length) : drawing;
  return svg.startsWith('<') ? `${PREFIX}${encodeURIComponent(svg)}` : drawing;
}

/** Groups of four, which are easier to type. */
export function inGroups(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}

/** What was begun and not finished would be in the way of the same name. */
async function removeUnfinished(client: GoTrueClient): Promise<void> {
  const { data } = await client.mfa.listFactors();
  const left = data?.all.filter((it) => it.status === 'unverified' && it.factor_type === 'totp');
  for (const { id } of left ?? []) await client.mfa.unenroll({ factorId: id });
}

type NameStepProps = { suggested: string; onStarted: (started: Started) => void };

function NameStep({ suggested, onStarted, onCancel }: NameStepProps & { onCancel: () => void }) {
  const fields = useFields<NameValues>({ name: suggested }, validateName);
  const call = useAuthCall();
  const { name: issuer } = usePractice();

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void submit();
  }

  async function submit() {
    call.clear();
    if (call.busy || !fields.check()) return;
    const friendlyName = fields.values.name.trim();
    const answer = await call.run(async (client) => {
      await removeUnfinished(client);
      return client.mfa.enroll({ factorType: 'totp', friendlyName, issuer });
    });
    if ('data' in answer && answer.data) {
      const { id, totp } = answer.data;
      onStarted({ id, picture: totp.qr_code, secret: totp.secret, uri: totp.uri });
    } else if ('problem' in answer && answer.problem.field === 'name') {
      fields.refuse({ name: answer.problem.message });
    }
  }

  return (
    <div className="flex flex-col gap-4">
      {call.problem?.field === 'name' ? null : (
        <ProofNotice problem={call.problem} onProved={() => void submit()} />
      )}
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name of the app"
          hint="So you can tell your apps apart later."
          autoComplete="off"
          {...fields.input('name')}
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" size="sm" busy={call.busy} busyText="One moment…">
            Continue
          </Button>
          <Button variant="secondary" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </form>
    </div>
  );
}

function Secret({ picture, secret, uri }: Omit<Started, 'id'>) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(secret);
      toast({ title: 'Copied' });
    } catch {
      toast({ title: 'It could not be copied', description: 'Please type it.' });
    }
  }

  return (
    <div className="flex flex-wrap items-start gap-6">
      <img
        src={pictureAddress(picture)}
        alt="Square code for your authenticator app; the key beside it says the same"
        width={176}
        height={176}
        className="size-44 rounded-input bg-[#fff] p-2"
      />
      <div className="flex min-w-0 flex-1 basis-56 flex-col items-start gap-3">
        <p>Scan the code with the app, or type this key into it:</p>
        <p className="font-semibold wrap-anywhere numeric select-all">{inGroups(secret)}</p>
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" size="sm" onClick={() => void copy()}>
            Copy the key
          </Button>
          <Button variant="quiet" size="sm" href={uri}>
            Open in the app
          </Button>
        </div>
      </div>
    </div>
  );
}

function validateAppCode({ code }: CodeValues): { code?: string } {
  const right = codeDigits(code).length === CODE_LENGTH;
  return right ? {} : { code: `Enter the ${CODE_LENGTH} digits that the app shows` };
}

type FirstCodeProps = { started: Started; onDone: () => void; onCancel: () => void };

function FirstCode({ started, onDone, onCancel }: FirstCodeProps) {
  const fields = useFields<CodeValues>({ code: '' }, validateAppCode);
  const call = useAuthCall();
  const title = useRef<HTMLHeadingElement>(null);

  useEffect(() => title.current?.focus(), []);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const code = codeDigits(fields.values.code);
    const factorId = started.id;
    const answer = await call.run((client) => client.mfa.challengeAndVerify({ factorId, code }));
    if ('data' in answer) onDone();
    else if (answer.problem.field === 'code') fields.refuse({ code: answer.problem.message });
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <h3 ref={title} tabIndex={-1} className="font-sans text-base font-semibold tracking-normal">
        Add us to your app
      </h3>
      <Secret {...started} />
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {call.problem?.field === 'code' ? null : <ProblemNotice problem={call.problem} />}
      <TextField
        label={`${CODE_LENGTH}-digit code of the app`}
        inputMode="numeric"
        autoComplete="one-time-code"
        enterKeyHint="done"
        className="numeric"
        {...fields.input('code')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" size="sm" busy={call.busy} busyText="Checking the code…">
          Finish
        </Button>
        <Button variant="secondary" size="sm" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

async function forget(factorId: string): Promise<void> {
  try {
    await dataOf((await authClient()).mfa.unenroll({ factorId }));
  } catch {
    // It ends by itself within minutes.
  }
}

export function AppEnrolment({ suggested, onDone, onCancel }: EnrolmentProps) {
  const [started, setStarted] = useState<Started>();
  if (!started) {
    return <NameStep suggested={suggested} onStarted={setStarted} onCancel={onCancel} />;
  }
  return (
    <FirstCode
      started={started}
      onDone={onDone}
      onCancel={() => {
        void forget(started.id);
        onCancel();
      }}
    />
  );
}
