/** Where the account is signed in, and how that is ended. */
import { Badge } from '@/components/ui/badge';
import { toast } from '@/components/ui/toast-store';
import { authClient } from '@/lib/auth';
import { type DeviceSession, endDevice, listSessions } from '../api/account-calls';
import { useAccountPart, useRefreshAccount } from '../hooks/use-own-user';
import { AskFirst } from './ask-first';
import { Row, Rows, Since } from './rows';
import { Read, Section } from './section';

type DeviceProps = { session: DeviceSession; onEnded: () => void };

function Device({ session, onEnded }: DeviceProps) {
  const { id, network, created_at, last_used_at, current } = session;
  const device = session.device || 'Unknown device';
  return (
    <Row
      title={
        <>
          {device} {current ? <Badge>This device</Badge> : null}
        </>
      }
      note={
        <>
          <Since words="Last seen" at={last_used_at ?? created_at} />
          {network ? <br /> : null}
          {network ? `Network ${network}` : null}
        </>
      }
    >
      {current ? null : (
        <AskFirst
          button="Sign out"
          of={device}
          title={`Sign out “${device}”?`}
          yes="Yes, sign it out"
          no="Leave it"
          work={() => endDevice(id)}
          onDone={onEnded}
        >
          <p>
            It has to sign in again, within a minute from now. If you do not know the device, change
            your password as well.
          </p>
        </AskFirst>
      )}
    </Row>
  );
}

async function endOthers(): Promise<void> {
  const { error } = await (await authClient()).signOut({ scope: 'others' });
  if (error) throw error;
}

/** This device first, then the one that was seen last. */
function inOrder(sessions: readonly DeviceSession[]): DeviceSession[] {
  const seen = ({ last_used_at, created_at }: DeviceSession) => last_used_at ?? created_at;
  return [...sessions].sort(
    (a, b) => Number(b.current) - Number(a.current) || seen(b).localeCompare(seen(a)),
  );
}

export function DevicesSection({ userId }: { userId: string }) {
  const reading = useAccountPart(userId, 'sessions', listSessions);
  const refresh = useRefreshAccount(userId);

  function ended(title: string) {
    toast({ title });
    void refresh('sessions');
  }

  return (
    <Section title="Devices" lead="Where you are signed in.">
      <Read reading={reading} missing="Your devices could not be read">
        {(sessions) => (
          <>
            <Rows empty="You are signed in nowhere else.">
              {inOrder(sessions).map((session) => (
                <Device
                  key={session.id}
                  session={session}
                  onEnded={() => ended('Device signed out')}
                />
              ))}
            </Rows>
            {sessions.some(({ current }) => !current) ? (
              <div>
                <AskFirst
                  button="Sign out all others"
                  variant="secondary"
                  title="Sign out all other devices?"
                  yes="Yes, sign them out"
                  no="Leave them"
                  work={endOthers}
                  onDone={() => ended('All other devices are signed out')}
                >
                  <p>You stay signed in here. Everywhere else you have to sign in again.</p>
                </AskFirst>
              </div>
            ) : null}
          </>
        )}
      </Read>
    </Section>
  );
}
