/** The passkeys of the account: add, rename, remove. */
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { toast } from '@/components/ui/toast-store';
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  removePasskey,
  renamePasskey,
} from '../api/passkeys';
import { renewSession } from '../api/take-session';
import { useAccountPart, useRefreshAccount } from '../hooks/use-own-user';
import { hasPasskeys, thisDevice } from '../passkey-support';
import { AskFirst } from './ask-first';
import { NameForm } from './name-form';
import { Row, Rows, Since } from './rows';
import { Read, Section } from './section';

async function remove(id: string): Promise<void> {
  await removePasskey(id);
  await renewSession();
}

type OneProps = { passkey: Passkey; onChanged: (title: string) => void };

function One({ passkey, onChanged }: OneProps) {
  const [renaming, setRenaming] = useState(false);
  const { id, friendly_name: name, created_at, last_used_at } = passkey;
  if (renaming) {
    return (
      <li className="py-3">
        <NameForm
          label={`New name of “${name}”`}
          suggested={name}
          button="Save"
          busyText="Saving…"
          work={(next) => renamePasskey(id, next)}
          onDone={() => {
            setRenaming(false);
            onChanged('Passkey renamed');
          }}
          onCancel={() => setRenaming(false)}
        />
      </li>
    );
  }
  const used = last_used_at ? <Since words="Last used" at={last_used_at} /> : 'Not used yet';
  return (
    <Row
      title={name}
      note={
        <>
          <Since words="Added" at={created_at} />
          <br />
          {used}
        </>
      }
    >
      <Button variant="quiet" size="sm" onClick={() => setRenaming(true)}>
        <span>
          Rename<span className="sr-only"> {name}</span>
        </span>
      </Button>
      <AskFirst
        button="Remove"
        of={name}
        title={`Remove “${name}”?`}
        yes="Yes, remove it"
        no="Keep it"
        work={() => remove(id)}
        onDone={() => onChanged('Passkey removed')}
      >
        <p>
          It does not sign you in any more. Remove it on the device as well, so that it is not
          offered there.
        </p>
      </AskFirst>
    </Row>
  );
}

type AddProps = { onAdded: () => void };

function Add({ onAdded }: AddProps) {
  const [adding, setAdding] = useState(false);
  const [supported, setSupported] = useState(true);

  useEffect(() => setSupported(hasPasskeys()), []);

  if (!supported)
    return (
      <p className="text-ink-2">Passkeys cannot be made in this browser, or not at this address.</p>
    );
  if (!adding) {
    return (
      <Button variant="secondary" size="sm" className="self-start" onClick={() => setAdding(true)}>
        Add a passkey
      </Button>
    );
  }
  return (
    <NameForm
      label="Name of the passkey"
      hint="The device or the password manager that keeps it."
      suggested={thisDevice()}
      button="Continue"
      busyText="Waiting for your device…"
      work={addPasskey}
      onDone={() => {
        setAdding(false);
        onAdded();
      }}
      onCancel={() => setAdding(false)}
    />
  );
}

export function PasskeysSection({ userId }: { userId: string }) {
  const reading = useAccountPart(userId, 'passkeys', listPasskeys);
  const refresh = useRefreshAccount(userId);

  function changed(title: string, description?: string) {
    toast({ title, ...(description ? { description } : {}) });
    void refresh('passkeys', 'user', 'level');
  }

  return (
    <Section
      title="Passkeys"
      lead="Sign in with your fingerprint, your face or the lock of your device. No one can guess a passkey or trick you into typing it."
    >
      <Read reading={reading} missing="Your passkeys could not be read">
        {(passkeys) => (
          <>
            <Rows empty="You have none yet.">
              {passkeys.map((passkey) => (
                <One key={passkey.id} passkey={passkey} onChanged={changed} />
              ))}
            </Rows>
            <Add onAdded={() => changed('Passkey added', 'You can sign in with it now.')} />
          </>
        )}
      </Read>
    </Section>
  );
}
