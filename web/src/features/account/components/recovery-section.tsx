/** Recovery codes: made, shown once, and kept by their owner alone. */
import { useEffect, useRef, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { toast } from '@/components/ui/toast-store';
import { usePractice } from '@/lib/practice';
import { saveFile } from '@/lib/save-file';
import { makeRecoveryCodes, recoveryCodesLeft } from '../api/account-calls';
import { useCall } from '../hooks/use-call';
import { useAccountPart, useRefreshAccount } from '../hooks/use-own-user';
import { AskFirst } from './ask-first';
import { ProofNotice } from './proof-notice';
import { Read, Section } from './section';

/** When the codes should be made anew. */
const FEW = 3;

type CodesProps = { codes: readonly string[]; onKept: () => void };

/** The file that is saved, with what it is for. */
function fileOf(codes: readonly string[], practice: string, address: string): string {
  const lines = [`Recovery codes for ${practice} (${address})`, 'Each code works once.', ''];
  return [...lines, ...codes, ''].join('\n');
}

function Codes({ codes, onKept }: CodesProps) {
  const { name } = usePractice();
  const title = useRef<HTMLHeadingElement>(null);

  useEffect(() => title.current?.focus(), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(codes.join('\n'));
      toast({ title: 'Copied' });
    } catch {
      toast({ title: 'They could not be copied', description: 'Please save the file instead.' });
    }
  }

  function save() {
    const content = fileOf(codes, name, window.location.origin);
    saveFile('recovery-codes.txt', content, 'text/plain;charset=utf-8');
  }

  return (
    <div data-printed="" className="flex flex-col gap-5">
      <h3 ref={title} tabIndex={-1} className="font-sans text-base font-semibold tracking-normal">
        Your new codes for {name}
      </h3>
      <Alert tone="warn" title="Keep them now: they are shown this once">
        Put them where you keep important papers, or into your password manager. Each works once.
      </Alert>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-x-6 gap-y-2 rounded-card bg-sunken p-5">
        {codes.map((code) => (
          <li key={code} className="font-semibold wrap-anywhere numeric select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3 print:hidden">
        <Button variant="secondary" size="sm" onClick={save}>
          Download
        </Button>
        <Button variant="secondary" size="sm" onClick={() => void copy()}>
          Copy
        </Button>
        <Button variant="secondary" size="sm" onClick={() => window.print()}>
          Print
        </Button>
        <Button size="sm" onClick={onKept}>
          I have kept them
        </Button>
      </div>
    </div>
  );
}

function leftWords(left: number | null): string {
  if (left === null) return 'Codes that you made before end when you make new ones.';
  if (left === 0) return 'You have none.';
  return left === 1 ? 'You have one code left.' : `You have ${left} codes left.`;
}

type MakeProps = { left: number | null; onMade: (codes: readonly string[]) => void };

function Make({ left, onMade }: MakeProps) {
  const call = useCall();
  const words = 'Make recovery codes';

  async function make() {
    onMade(await makeRecoveryCodes());
  }

  return (
    <>
      <p className="numeric">{leftWords(left)}</p>
      {left !== null && left > 0 && left < FEW ? (
        <Alert tone="warn" title="Only a few are left">
          Make new ones while you can still sign in.
        </Alert>
      ) : null}
      <ProofNotice problem={call.problem} onProved={() => void call.run(make)} />
      {left === 0 ? (
        <Button
          variant="secondary"
          size="sm"
          className="self-start"
          busy={call.busy}
          busyText="One moment…"
          onClick={() => void call.run(make)}
        >
          {words}
        </Button>
      ) : (
        <div>
          <AskFirst
            button="Make new codes"
            variant="secondary"
            title="Make new recovery codes?"
            yes="Yes, make new ones"
            no="Keep the old ones"
            work={make}
            onDone={() => undefined}
          >
            <p>The codes that you have kept so far stop working.</p>
          </AskFirst>
        </div>
      )}
    </>
  );
}

export function RecoverySection({ userId }: { userId: string }) {
  const reading = useAccountPart(userId, 'recovery-codes', recoveryCodesLeft);
  const refresh = useRefreshAccount(userId);
  // In memory only: they are not shown again.
  const [codes, setCodes] = useState<readonly string[]>();

  function kept() {
    setCodes(undefined);
    void refresh('recovery-codes');
  }

  return (
    <Section
      title="Recovery codes"
      lead="They take the place of your second step when you have lost your phone or computer."
    >
      {codes ? (
        <Codes codes={codes} onKept={kept} />
      ) : (
        <Read reading={reading} missing="Your recovery codes could not be looked up">
          {(left) => <Make left={left} onMade={setCodes} />}
        </Read>
      )}
    </Section>
  );
}
