import { ComingPage } from '@/components/coming-page';
import { usePractice } from '@/lib/practice';

export default function AboutPage() {
  const practice = usePractice();
  return (
    <ComingPage
      title="The person who listens"
      eyebrow="About Us"
      lead={`${practice.name} is the practice of ${practice.practitionerName}, founder and lead healer, in ${practice.city}. The same person gives every session, remembers your story and keeps it private.`}
      coming={`The story of ${practice.practitionerName}, with training, experience and the thoughts behind the practice, will be told here.`}
      links={[
        { to: '/services', label: 'See our services' },
        { to: '/contact', label: 'Ask us something' },
      ]}
      art={{ seed: 'mental-health', accent: 'leaf' }}
    />
  );
}
