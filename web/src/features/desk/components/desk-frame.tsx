/** The desk's own frame: a bar with the account, the ways, and the screen for whom it is for. */
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'react-router';
import { AccountMenu } from '@/components/account-menu';
import { LoadProgress } from '@/components/load-progress';
import { Logo } from '@/components/logo';
import { OfflineBanner } from '@/components/offline-banner';
import { ThemeToggle } from '@/components/theme-toggle';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast-store';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { useAuth } from '@/lib/auth';
import { whenIdle } from '@/lib/idle';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice } from '@/lib/practice';
import { lazyLoader, useLazyModule } from '@/lib/use-lazy-module';
import { useDeskRole } from '../hooks/use-desk-role';
import { useWide } from '../hooks/use-wide';
import { MemberContext } from '../member';
import { roleWord } from '../model/role-words';
import { DeskNav } from './desk-nav';

const shortcuts = lazyLoader(
  async () => (await importWithRetry(() => import('./shortcuts'))).Shortcuts,
);

function Bar() {
  const { name } = usePractice();
  return (
    <header className="group/header @container/header sticky top-0 z-40 border-b border-hairline bg-paper print:hidden">
      <div className="flex min-h-18 flex-wrap items-center gap-2 px-[clamp(1rem,4vw,2.5rem)] py-2">
        <AppLink to="/" aria-label={`${name}, to the site`} className="flex rounded-input p-1">
          <Logo markClassName="@max-[21rem]/header:hidden" />
        </AppLink>
        <span className="rounded-full bg-sunken px-3 py-1 text-sm font-semibold text-ink-2">
          Desk
        </span>
        <div className="ml-auto flex items-center gap-1.5">
          <ThemeToggle where="bar" />
          <AccountMenu where="bar" />
        </div>
      </div>
      <OfflineBanner />
      <LoadProgress />
    </header>
  );
}

function Resting() {
  return (
    <div aria-busy="true" className="flex flex-col gap-4">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-10 w-48" />
      <Skeleton className="h-40 w-full rounded-card" />
      <Skeleton className="h-20 w-full rounded-card" />
      <Skeleton className="h-20 w-full rounded-card" />
    </div>
  );
}

function SignedOut() {
  const { pathname, search } = useLocation();
  const back = encodeURIComponent(`${pathname}${search}`);
  return (
    <Card className="flex max-w-xl flex-col items-start gap-4">
      <PageHeading>The Desk</PageHeading>
      <p>For members of the practice. Sign in, and you come back here.</p>
      <Button to={`/sign-in?return=${back}`}>Sign In</Button>
    </Card>
  );
}

function NoMember() {
  return (
    <Card className="flex max-w-xl flex-col items-start gap-4">
      <PageHeading>The Desk</PageHeading>
      <p>
        Your account is not a member of the practice. If you work here, ask an owner or admin to
        invite you.
      </p>
      <Button to="/">Go to the home page</Button>
    </Card>
  );
}

/** Says that the role was changed while the desk is open: what is shown changes with it. */
function useRoleNews(role: StaffRole | undefined): void {
  const before = useRef(role);
  useEffect(() => {
    const was = before.current;
    before.current = role ?? was;
    if (!was || !role || was === role) return;
    toast({ title: `Your role has changed to ${roleWord(role)}` });
  }, [role]);
}

function Main({ children }: { children: ReactNode }) {
  return (
    <main
      id="main"
      tabIndex={-1}
      className="mx-auto w-full min-w-0 max-w-6xl flex-1 px-[clamp(1rem,4vw,2.5rem)] pt-5 pb-28 outline-none lg:pb-12"
    >
      {children}
    </main>
  );
}

/** A phone has no keys; without their code there are only the ways. */
function Keys() {
  const { piece: Shortcuts, fetch } = useLazyModule(shortcuts.load);
  const wide = useWide();
  useEffect(() => (wide ? whenIdle(() => void fetch()) : undefined), [wide, fetch]);
  return Shortcuts && wide ? <Shortcuts /> : null;
}

function Inside({ userId, children }: { userId: string; children: ReactNode }) {
  const { data: role, error, refetch } = useDeskRole(userId);
  useRoleNews(role);
  const member = useMemo(() => (role ? { userId, role } : undefined), [userId, role]);
  if (role === StaffRole.UNSPECIFIED) {
    return (
      <Main>
        <NoMember />
      </Main>
    );
  }
  const waiting = error ? (
    <ErrorNotice error={error} onRetry={() => void refetch()} />
  ) : (
    <Resting />
  );
  return (
    <MemberContext value={member}>
      <DeskNav member={member} />
      <Main>{member ? children : waiting}</Main>
      {member ? <Keys /> : null}
    </MemberContext>
  );
}

export function DeskFrame({ children }: { children: ReactNode }) {
  const { status, user } = useAuth();
  return (
    <div className="flex min-h-dvh flex-col">
      <Bar />
      <div className="flex flex-1">
        {user ? (
          <Inside userId={user.id}>{children}</Inside>
        ) : (
          <Main>{status === 'signed-out' ? <SignedOut /> : <Resting />}</Main>
        )}
      </div>
    </div>
  );
}
