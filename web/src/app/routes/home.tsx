import { HeroArt } from '@/components/art/hero-art';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { ServiceCard } from '@/features/catalogue/components/service-card';
import { formatPhone } from '@/lib/phone';
import { usePractice, useServices } from '@/lib/practice';

const FEATURED = ['mental-health', 'energy-healing', 'meditation'];
const FIGURES_SHOWN = 4;

const STEPS = [
  {
    title: 'Choose what helps',
    text: 'Seven kinds of sessions, each with its length and its one price.',
  },
  {
    title: 'Pick a time',
    text: 'See free times without an account. Yours is kept while you pay.',
  },
  {
    title: 'Come as you are',
    text: 'By video from a quiet corner, or in person. You need to prepare nothing.',
  },
];

function Hero() {
  const { city } = usePractice();
  return (
    <section className="container-page grid items-center gap-10 pt-10 lg:grid-cols-[1.15fr_1fr] lg:gap-16 lg:pt-16">
      <div className="flex flex-col items-start gap-8">
        <PageHeading
          eyebrow={`Counselling and healing in ${city}, and online`}
          lead="Some days the mind does not stop. Sit down with someone who listens well, and leave with a little more room inside than you came with."
        >
          Room to breathe, and someone who listens
        </PageHeading>
        <div className="flex flex-wrap gap-3">
          <Button to="/services" size="lg">
            Book a session
          </Button>
          <Button to="/service/general-consultation" variant="secondary" size="lg">
            Where do I begin?
          </Button>
        </div>
        <p className="text-sm text-ink-2">
          Private and confidential. Prices and free times are open to see, before you sign in.
        </p>
      </div>
      <div className="mx-auto w-full max-w-md overflow-hidden rounded-t-[14rem] rounded-b-panel border-8 border-surface shadow-lift">
        <HeroArt className="block aspect-[4/5] w-full" />
      </div>
    </section>
  );
}

function Figures() {
  const { figures } = usePractice();
  return (
    <dl className="container-page grid grid-cols-2 gap-y-8 lg:grid-cols-4">
      {figures.slice(0, FIGURES_SHOWN).map((figure) => (
        <div key={figure.key} className="flex flex-col-reverse items-center gap-1 text-center">
          <dt className="text-sm text-ink-2">{figure.label}</dt>
          <dd className="font-display text-h2 font-semibold text-brand numeric">{figure.value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Featured() {
  const services = useServices();
  const featured = FEATURED.flatMap((id) => services.find((one) => one.serviceId === id) ?? []);
  return (
    <section aria-labelledby="featured-title" className="container-page flex flex-col gap-8">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h2 id="featured-title" className="text-h2">
          Our Healing Services
        </h2>
        <Button to="/services" variant="quiet" className="max-sm:-ml-6">
          View All Services
        </Button>
      </div>
      <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {featured.map((service) => (
          <li key={service.serviceId}>
            <ServiceCard service={service} level="h3" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function HowItWorks() {
  return (
    <section aria-labelledby="steps-title" className="bg-sunken">
      <div className="container-page flex flex-col gap-10 py-16">
        <h2 id="steps-title" className="text-h2">
          Two minutes to a quiet hour
        </h2>
        <ol className="grid gap-8 md:grid-cols-3">
          {STEPS.map(({ title, text }, index) => (
            <li key={title} className="flex flex-col gap-2">
              <span className="grid size-11 place-items-center rounded-full bg-brand-soft font-display font-semibold text-brand numeric">
                {index + 1}
              </span>
              <h3 className="mt-2 text-h3">{title}</h3>
              <p className="text-ink-2">{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function Closing() {
  const { phone } = usePractice();
  return (
    <section className="container-page">
      <div className="flex flex-col items-center gap-6 rounded-panel bg-brand px-6 py-16 text-center text-on-brand dark:bg-brand-soft dark:text-ink">
        <h2 className="text-h2">You do not have to carry it alone</h2>
        <p className="measure text-lg">
          Begin with one conversation. If something else would help you more, we say so.
        </p>
        <div className="flex flex-wrap justify-center gap-3">
          <Button to="/services" variant="secondary" size="lg">
            See all services
          </Button>
          <a
            href={`tel:${phone}`}
            className="inline-flex min-h-14 items-center px-4 font-semibold underline underline-offset-4 numeric"
          >
            or call {formatPhone(phone)}
          </a>
        </div>
      </div>
    </section>
  );
}

export default function HomePage() {
  return (
    <div className="flex flex-col gap-20 lg:gap-24">
      <Hero />
      <Figures />
      <Featured />
      <HowItWorks />
      <Closing />
    </div>
  );
}
