/** /desk: the frame of the practice's desk, with one of its screens, each in code of its own. */
import { Suspense, use } from 'react';
import { LazyPage, type PageProps } from '@/app/lazy-page';
import { PageBoundary } from '@/components/page-boundary';
import { PageSkeleton } from '@/components/page-skeleton';
import { DeskFrame } from '@/features/desk/components/desk-frame';

const TODAY = new LazyPage(
  () => import('@/features/desk/components/today-screen'),
  (it) => it.TodayScreen,
);

const SCREENS: Readonly<Record<string, LazyPage>> = {
  today: TODAY,
  day: TODAY,
  bookings: new LazyPage(
    () => import('@/features/desk/components/booking-screen'),
    (it) => it.BookingScreen,
  ),
  find: new LazyPage(
    () => import('@/features/desk/components/find-screen'),
    (it) => it.FindScreen,
  ),
  new: new LazyPage(
    () => import('@/features/desk/components/new-screen'),
    (it) => it.NewScreen,
  ),
  calendar: new LazyPage(
    () => import('@/features/desk/components/calendar-screen'),
    (it) => it.CalendarScreen,
  ),
  tasks: new LazyPage(
    () => import('@/features/desk/components/tasks-screen'),
    (it) => it.TasksScreen,
  ),
  waiting: new LazyPage(
    () => import('@/features/desk/components/waiting-screen'),
    (it) => it.WaitingScreen,
  ),
  more: new LazyPage(
    () => import('./desk-more'),
    (it) => it.default,
  ),
};

function Unknown() {
  return <p>There is no such screen. Choose one below.</p>;
}

function Screen({ params }: PageProps) {
  const screen = SCREENS[params.screen ?? 'today'];
  if (!screen) return <Unknown />;
  if (!screen.loaded) use(screen.preload());
  return screen.loaded ? <screen.loaded params={params} /> : null;
}

export default function DeskRoute({ params }: PageProps) {
  const place = `${params.screen}/${params.id}`;
  return (
    <DeskFrame>
      <PageBoundary place={place}>
        <Suspense fallback={<PageSkeleton />}>
          <Screen params={params} />
        </Suspense>
      </PageBoundary>
    </DeskFrame>
  );
}
