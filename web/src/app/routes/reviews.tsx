import { ComingPage } from '@/components/coming-page';

export default function ReviewsPage() {
  return (
    <ComingPage
      title="In their own words"
      eyebrow="Reviews"
      lead="This is the place for what people say after their sessions. We show only what was really written, the good and the not so good."
      coming="Soon you can read reviews here, see which ones are verified or recent, and write your own."
      links={[
        { to: '/services', label: 'See our services' },
        { to: '/about', label: 'Who works here' },
      ]}
      art={{ seed: 'relationship-counseling', accent: 'clay' }}
    />
  );
}
