import { ComingPage } from '@/components/coming-page';

export default function BookSessionPage() {
  return (
    <ComingPage
      title="Find a time for yourself"
      eyebrow="Booking"
      lead="Every service shows its free times on its own page, without signing in. Pick one, and the booking begins with it."
      coming="The calendar of all sessions will stand here."
      links={[
        { to: '/services', label: 'See services and times' },
        { to: '/contact', label: 'Ask us for a time' },
      ]}
      art={{ seed: 'karmic-healing', accent: 'plum' }}
    />
  );
}
