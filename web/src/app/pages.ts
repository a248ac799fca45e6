/** Every path of the site with its page and what its document's head says. */
import { isReviewId } from '@/features/reviews/review-id';
import type { Snapshot } from '@/lib/snapshot';
import { LazyPage } from './lazy-page';

export type Params = Readonly<Record<string, string | undefined>>;

export type PageHead = {
  /** The practice's name is added behind it. */
  title: string;
  description: string;
  /** Path of the one address that search engines shall keep. */
  canonical?: string;
  /** Kept out of search engines. */
  hidden?: boolean;
};

export type PageEntry = {
  path: string;
  page: LazyPage;
  /** Rendered in the browser only: its content depends on the query or on who is signed in. */
  personal?: boolean;
  head: (snapshot: Snapshot, params: Params) => PageHead;
};

function fixed(title: string, description: string): PageEntry['head'] {
  return () => ({ title, description });
}

function serviceHead({ services }: Snapshot, { serviceId }: Params): PageHead {
  const service = services.find((one) => one.serviceId === serviceId);
  if (!service) return { title: 'Service Not Found', description: '', hidden: true };
  return {
    title: service.title,
    description: service.description,
    canonical: `/service/${service.serviceId}`,
  };
}

/** A review's own title is set when its words are there. */
function reviewHead(_: Snapshot, { reviewId }: Params): PageHead {
  if (!isReviewId(reviewId)) return { title: 'Review Not Found', description: '', hidden: true };
  return { title: 'Review', description: 'What somebody says after a session, in full.' };
}

function homeHead({ practice }: Snapshot): PageHead {
  return {
    title: `Holistic healing and counselling in ${practice.city} and online`,
    description:
      'Counselling, meditation and energy healing, online and in person. See free times, know ' +
      'the price beforehand, and book in two minutes.',
  };
}

function open(path: string, name: string, head: PageEntry['head']): PageEntry {
  return { path, page: new LazyPage(name), head };
}

function personal(path: string, name: string, title: string): PageEntry {
  const head = () => ({ title, description: '', hidden: true });
  return { path, page: new LazyPage(name), personal: true, head };
}

export const NOT_FOUND: PageEntry = {
  path: '*',
  page: new LazyPage('not-found'),
  head: () => ({ title: 'Page Not Found', description: '', hidden: true }),
};

const SERVICES_LEAD = 'Every kind of session with its length and its price. Book online.';

export const PAGES: readonly PageEntry[] = [
  open('/', 'home', homeHead),
  open('/services', 'services', fixed('Services', SERVICES_LEAD)),
  open('/service/:serviceId', 'service', serviceHead),
  open('/services/:serviceId', 'service', serviceHead),
  open('/about', 'about', fixed('About Us', 'Who works here, how, and why.')),
  open('/reviews', 'reviews', fixed('Reviews', 'What people say after their sessions.')),
  open('/reviews/:reviewId', 'review', reviewHead),
  open('/faq', 'faq', fixed('FAQ', 'Questions about sessions, booking and payment, answered.')),
  open('/contact', 'contact', fixed('Contact', 'How to reach us, and when.')),
  open(
    '/cancellation-policy',
    'cancellation-policy',
    fixed('Cancellation Policy', 'Until when a session can be moved or cancelled.'),
  ),
  open('/book', 'book', fixed('Book', 'Choose a session and a time.')),
  open('/book-session', 'book-session', fixed('Book a Session', 'Choose a session and a time.')),
  personal('/booking-flow', 'booking-flow', 'Book Your Session'),
  personal('/sign-in', 'sign-in', 'Sign In'),
  personal('/sign-up', 'sign-up', 'Sign Up'),
  personal('/recover', 'recover', 'Reset Your Password'),
];
