import { ComingPage } from '@/components/coming-page';

export default function BookPage() {
  return (
    <ComingPage
      title="Book a session"
      eyebrow="Booking"
      lead="Choose a service, look at its free times and book the one that suits you. It takes about two minutes, and your time is kept for you while you pay."
      coming="A calendar for all services at once, and packages of several sessions, will be bookable on this page."
      links={[
        { to: '/services', label: 'Choose a service' },
        { to: '/cancellation-policy', label: 'If plans change' },
      ]}
      art={{ seed: 'general-consultation', accent: 'leaf' }}
    />
  );
}
