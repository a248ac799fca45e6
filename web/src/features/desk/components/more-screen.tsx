/** /desk/more: the ways that have no place in the bar of a phone, by the rights of the member. */
import { type ReactNode, useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { toast } from '@/components/ui/toast-store';
import { signOut, useAuth } from '@/lib/auth';
import { classes } from '@/lib/classes';
import { usePractice } from '@/lib/practice';
import { usePageTitle } from '@/lib/use-page-title';
import { useMember } from '../member';
import { isManager, keepsWaitList } from '../model/acts';
import { roleWord } from '../model/role-words';
import { ShortcutsDialog } from './shortcuts-dialog';

const ROW =
  'flex min-h-14 w-full flex-col items-start justify-center gap-0.5 px-4 py-3 text-left text-ink ' +
  'no-underline hover:bg-sunken hover:text-brand';

type Words = { label: string; note: string };

function RowWords({ label, note }: Words) {
  return (
    <>
      <span className="font-semibold">{label}</span>
      <span className="text-sm text-ink-2">{note}</span>
    </>
  );
}

type WayProps = Words & ({ to: string } | { onPress: () => void }) & { only?: 'narrow' | 'wide' };

const ONLY = { narrow: 'lg:hidden', wide: 'max-lg:hidden' };

/** To another page, or what opens here. A way that the rail has is for narrow screens only. */
function Way({ only, ...way }: WayProps) {
  const words = <RowWords label={way.label} note={way.note} />;
  return (
    <li className={classes('border-t border-hairline first:border-t-0', only && ONLY[only])}>
      {'to' in way ? (
        <AppLink to={way.to} className={ROW}>
          {words}
        </AppLink>
      ) : (
        <button type="button" aria-haspopup="dialog" className={ROW} onClick={way.onPress}>
          {words}
        </button>
      )}
    </li>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="text-base font-semibold">{title}</h2>
      <ul className="overflow-hidden rounded-card border border-hairline bg-surface shadow-soft">
        {children}
      </ul>
    </section>
  );
}

/** The signed-in person and role: on a shared phone they say whose desk it is. */
function Own() {
  const { user } = useAuth();
  const { role } = useMember();
  const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ');
  return (
    <p className="text-ink-2">
      {name ? <bdi className="font-semibold text-ink">{name}</bdi> : 'You'}, {roleWord(role)}
    </p>
  );
}

function leave(): void {
  signOut('links');
  toast({ title: 'Signed out', description: 'See you soon.' });
}

type MoreScreenProps = {
  /** Opens the moderation of reviews. */
  onReviews: () => void;
};

export function MoreScreen({ onReviews }: MoreScreenProps) {
  const { role } = useMember();
  const { name } = usePractice();
  const manages = isManager(role);
  const [listed, setListed] = useState(false);
  usePageTitle('More');
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <div className="flex flex-col gap-1">
        <PageHeading className="[&_h1]:text-h2">More</PageHeading>
        <Own />
      </div>
      <Group title="The practice">
        <Way
          only="narrow"
          to="/desk/find"
          label="Find a booking"
          note="By reference, name, phone or email"
        />
        {keepsWaitList(role) ? (
          <Way
            to="/desk/waiting"
            label="Wait list"
            note="Clients who wait for a time, in the order of offers"
          />
        ) : null}
        {manages ? (
          <Way
            onPress={onReviews}
            label="Reviews"
            note="Read all of them and delete; asks for a password"
          />
        ) : null}
        <Way
          to="/organisation"
          label={manages ? 'Members and invitations' : 'Your membership'}
          note={manages ? 'Who works here, and as what' : 'What your role may do'}
        />
        <Way to="/" label={name} note="The site as clients see it" />
      </Group>
      <Group title="Your account">
        <Way
          to="/account"
          label="Account and second step"
          note="Passkeys, authenticator apps, recovery codes, devices"
        />
        <Way to="/account/sessions" label="Your own sessions" note="Those that you booked" />
        <Way
          only="wide"
          onPress={() => setListed(true)}
          label="Keyboard shortcuts"
          note="The list of keys, and how to switch them off"
        />
      </Group>
      <Button variant="secondary" className="self-start" onClick={leave}>
        Sign out
      </Button>
      {listed ? <ShortcutsDialog onClose={() => setListed(false)} /> : null}
    </div>
  );
}
