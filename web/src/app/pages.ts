/** Every path of the site with its page and what its document's head says. */
import { LEGAL_PAGES } from '@/features/legal/legal-pages';
import { isReviewId } from '@/features/reviews/review-id';
import { LEGAL_NAMES, type LegalName } from '@/lib/legal-text';
import type { Snapshot } from '@/lib/snapshot';
import { LazyPage, type Params } from './lazy-page';

export type PageHead = {
  /** The practice's name is added behind it. */
  title: string;
  description: string;
  /** Path of the one address that search engines shall keep, where it is not the page's own. */
  canonical?: string;
  /** Kept out of search engines. */
  hidden?: boolean;
};

export type PageEntry = {
  path: string;
  page: LazyPage;
  /** Rendered in the browser only: its content depends on the query or on who is signed in. */
  personal?: boolean;
  /** Its document carries the meditation guide. */
  withGuide?: boolean;
  /** Its document carries this text. */
  legal?: LegalName;
  /** The gateway sends its address on; only the development server shows the page. */
  sentOn?: boolean;
  head: (snapshot: Snapshot, params: Params) => PageHead;
};

function fixed(title: string, description: string): PageEntry['head'] {
  return () => ({ title, description });
}

/** For everybody who has the link, and not for search engines. */
function unlisted(title: string, description = ''): PageEntry['head'] {
  return () => ({ title, description, hidden: true });
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

function aboutHead({ practice }: Snapshot): PageHead {
  return {
    title: 'About Us',
    description: `Who ${practice.practitionerName} is, how sessions are held, and what we believe in.`,
  };
}

function open(path: string, name: string, head: PageEntry['head']): PageEntry {
  return { path, page: new LazyPage(name), head };
}

function personal(path: string, name: string, title: string): PageEntry {
  const head = () => ({ title, description: '', hidden: true });
  return { path, page: new LazyPage(name), personal: true, head };
}

function legal(name: LegalName): PageEntry {
  const { title, description } = LEGAL_PAGES[name];
  return { ...open(`/${name}`, name, fixed(title, description)), legal: name };
}

export const NOT_FOUND: PageEntry = {
  path: '*',
  page: new LazyPage('not-found'),
  head: () => ({ title: 'Page Not Found', description: '', hidden: true }),
};

const GUIDE_LEAD = 'Five steps and ten minutes: a meditation for beginners, to read or to print.';
const REVIEWS_LEAD = 'What people say after their sessions, in their own words. Write your own.';
const FAQ_LEAD = 'Answers to what people ask before a first session: booking, payment, healing.';
const SERVICES_LEAD = 'Every kind of session with its length and its price. Book online.';

export const PAGES: readonly PageEntry[] = [
  open('/', 'home', homeHead),
  open('/services', 'services', fixed('Services', SERVICES_LEAD)),
  open('/service/:serviceId', 'service', serviceHead),
  open('/services/:serviceId', 'service', serviceHead),
  open('/about', 'about', aboutHead),
  open('/reviews', 'reviews', fixed('Reviews', REVIEWS_LEAD)),
  open('/reviews/:reviewId', 'review', reviewHead),
  open('/faq', 'faq', fixed('FAQ', FAQ_LEAD)),
  open(
    '/contact',
    'contact',
    fixed('Contact', 'Write to us, call or come by: how to reach us, and when.'),
  ),
  open(
    '/cancellation-policy',
    'cancellation-policy',
    fixed('Cancellation Policy', 'Until when a session can be cancelled, and how.'),
  ),
  ...LEGAL_NAMES.map(legal),
  { ...open('/book', 'book', unlisted('Book')), sentOn: true },
  { ...open('/book-session', 'book-session', unlisted('Book a Session')), sentOn: true },
  {
    ...open('/meditation-guide', 'meditation-guide', unlisted('Meditation Guide', GUIDE_LEAD)),
    withGuide: true,
  },
  open('/unsubscribe', 'unsubscribe', unlisted('Unsubscribe')),
  personal('/booking-flow', 'booking-flow', 'Book Your Session'),
  personal('/receipt', 'receipt', 'Your Receipt'),
  personal('/sign-in', 'sign-in', 'Sign In'),
  personal('/sign-up', 'sign-up', 'Sign Up'),
  personal('/recover', 'recover', 'Reset Your Password'),
  personal('/confirm', 'confirm', 'Confirm Your Email'),
];
