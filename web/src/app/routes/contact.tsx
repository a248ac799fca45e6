import { ComingPage } from '@/components/coming-page';
import { ContactCards } from '@/components/contact-cards';

export default function ContactPage() {
  return (
    <ComingPage
      title="Get in Touch"
      eyebrow="Contact"
      lead="Call or write in whatever words come first. What you tell us stays with us."
      coming="A form for messages will be here too. Until then, phone and e-mail reach the same person."
      links={[{ to: '/services', label: 'See our services' }]}
      art={{ seed: 'energy-healing', accent: 'clay' }}
    >
      <ContactCards />
    </ComingPage>
  );
}
