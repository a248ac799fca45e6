/** Every path of the site with its page and what its document's head says. */
import { createElement } from 'react';
import type { LinkPlace } from '@/components/navigation';
import { LEGAL_PAGES } from '@/features/legal/legal-pages';
import { LEGAL_NAMES, type LegalName } from '@/lib/legal-text';
import { LazyPage } from './lazy-page';
import {
  aboutHead,
  type HeadOf,
  homeHead,
  listed,
  reviewHead,
  serviceHead,
  unlisted,
} from './page-heads';

export type PageEntry = {
  path: string;
  page: LazyPage;
  head: HeadOf;
  /** Where header and footer lead to it, and what they call it. */
  link?: { label: string; at: readonly LinkPlace[] };
  /** Rendered in the browser only: its content depends on the query or on who is signed in. */
  personal?: boolean;
  /** It brings its own frame in place of the site's header and footer. */
  bare?: boolean;
  /** Its document carries the meditation guide. */
  withGuide?: boolean;
  /** Its document carries this text. */
  legal?: LegalName;
};

const SERVICE = new LazyPage(
  () => import('./routes/service'),
  (it) => it.default,
  'service',
);

/** Before the payment and after it: a mail's key opens both. */
const OF_KEY = new LazyPage(
  () => import('./routes/pay-booking'),
  (it) => it.default,
  'pay-booking',
);

const DESK = new LazyPage(
  () => import('./routes/desk'),
  (it) => it.default,
  'desk',
);

/** The desk's screens are one document: which one is shown, its own page says. */
function desk(path: string): PageEntry {
  return { path, page: DESK, head: unlisted('Desk'), personal: true, bare: true };
}

function legal(name: LegalName): PageEntry {
  const { title, label, description } = LEGAL_PAGES[name];
  return {
    path: `/${name}`,
    page: new LazyPage(
      () => import('@/features/legal/components/legal-page'),
      (it) => () => createElement(it.LegalPage, { name }),
      'legal',
    ),
    head: listed(title, description),
    link: { label, at: ['footerLegal'] },
    legal: name,
  };
}

export const NOT_FOUND: PageEntry = {
  path: '*',
  page: new LazyPage(
    () => import('./routes/not-found'),
    (it) => it.default,
    'not-found',
  ),
  head: unlisted('Page Not Found'),
};

export const PAGES: readonly PageEntry[] = [
  {
    path: '/',
    page: new LazyPage(
      () => import('./routes/home'),
      (it) => it.default,
      'home',
    ),
    head: homeHead,
    link: { label: 'Home', at: ['headerLeft', 'footerQuick'] },
  },
  {
    path: '/services',
    page: new LazyPage(
      () => import('./routes/services'),
      (it) => it.default,
    ),
    head: listed('Services', 'Every kind of session with its length and its price. Book online.'),
    link: { label: 'Services', at: ['headerLeft', 'footerQuick'] },
  },
  {
    path: '/service/:serviceId',
    page: SERVICE,
    head: serviceHead,
  },
  {
    path: '/services/:serviceId',
    page: SERVICE,
    head: serviceHead,
  },
  {
    path: '/about',
    page: new LazyPage(
      () => import('@/features/about/components/about-page'),
      (it) => it.AboutPage,
    ),
    head: aboutHead,
    link: { label: 'About Us', at: ['headerLeft'] },
  },
  {
    path: '/reviews',
    page: new LazyPage(
      () => import('@/features/reviews/components/reviews-page'),
      (it) => it.ReviewsPage,
    ),
    head: listed(
      'Reviews',
      'What people say after their sessions, in their own words. Write your own.',
    ),
    link: { label: 'Reviews', at: ['headerRight'] },
  },
  {
    path: '/reviews/:reviewId',
    page: new LazyPage(
      () => import('@/features/reviews/components/review-page'),
      (it) =>
        ({ params }) =>
          createElement(it.ReviewPage, { reviewId: params.reviewId }),
      'review',
    ),
    head: reviewHead,
  },
  {
    path: '/faq',
    page: new LazyPage(
      () => import('@/features/faq/components/faq-page'),
      (it) => it.FaqPage,
    ),
    head: listed(
      'FAQ',
      'Answers to what people ask before a first session: booking, payment, healing.',
    ),
    link: { label: 'FAQ', at: ['headerRight', 'footerQuick'] },
  },
  {
    path: '/contact',
    page: new LazyPage(
      () => import('@/features/contact/components/contact-page'),
      (it) => it.ContactPage,
    ),
    head: listed('Contact', 'Write to us, call or come by: how to reach us, and when.'),
    link: { label: 'Contact', at: ['headerRight'] },
  },
  {
    path: '/cancellation-policy',
    page: new LazyPage(
      () => import('@/features/policy/components/policy-page'),
      (it) => it.PolicyPage,
      'policy',
    ),
    head: listed('Cancellation Policy', 'Until when a session can be cancelled, and how.'),
    link: { label: 'Cancellation policy', at: ['footerRules'] },
  },
  ...LEGAL_NAMES.map(legal),
  {
    path: '/book',
    page: new LazyPage(
      () => import('./routes/book'),
      (it) => it.default,
    ),
    head: listed(
      'Book a Session',
      'Choose a session and a free time, agree to our terms, and pay online: in a few minutes.',
    ),
  },
  {
    path: '/book-session',
    page: new LazyPage(
      () => import('./routes/book-session'),
      (it) => it.default,
    ),
    head: unlisted('Book a Session'),
  },
  {
    path: '/meditation-guide',
    page: new LazyPage(
      () => import('@/features/guide/components/guide-page'),
      (it) => it.GuidePage,
      'guide',
    ),
    head: unlisted(
      'Meditation Guide',
      'Five steps and ten minutes: a meditation for beginners, to read or to print.',
    ),
    link: { label: 'Our 5-step meditation guide', at: ['footerGuide'] },
    withGuide: true,
  },
  {
    path: '/unsubscribe',
    page: new LazyPage(
      () => import('@/features/unsubscribe/components/unsubscribe-page'),
      (it) => it.UnsubscribePage,
    ),
    head: unlisted('Unsubscribe'),
  },
  {
    path: '/booking-flow',
    page: new LazyPage(
      () => import('./routes/booking-flow'),
      (it) => it.default,
    ),
    head: unlisted('Book Your Session'),
    personal: true,
  },
  {
    path: '/pay/booking',
    page: OF_KEY,
    head: unlisted('Your Booking'),
    personal: true,
  },
  {
    path: '/session',
    page: OF_KEY,
    head: unlisted('Your Session'),
    personal: true,
  },
  {
    path: '/receipt',
    page: new LazyPage(
      () => import('./routes/receipt'),
      (it) => it.default,
    ),
    head: unlisted('Your Receipt'),
    personal: true,
  },
  {
    path: '/consent',
    page: new LazyPage(
      () => import('@/features/consent/components/consent-page'),
      (it) => it.ConsentPage,
    ),
    head: unlisted('Your Consent'),
    personal: true,
  },
  {
    path: '/organisation',
    page: new LazyPage(
      () => import('@/features/organisation/components/organisation-page'),
      (it) => it.OrganisationPage,
    ),
    head: unlisted("The Practice's Members"),
    personal: true,
  },
  {
    path: '/join',
    page: new LazyPage(
      () => import('@/features/join/components/client-join-page'),
      (it) => it.ClientJoinPage,
      'client-join',
    ),
    head: unlisted('Your Session'),
    personal: true,
  },
  {
    path: '/join/:bookingId',
    page: new LazyPage(
      () => import('@/features/join/components/join-page'),
      (it) => it.JoinPage,
      'join',
    ),
    head: unlisted('Your Session'),
    personal: true,
  },
  {
    path: '/invitations',
    page: new LazyPage(
      () => import('./routes/invitations'),
      (it) => it.default,
    ),
    head: unlisted('Your Invitation'),
    personal: true,
  },
  desk('/desk'),
  desk('/desk/:screen'),
  desk('/desk/:screen/:id'),
  {
    path: '/account',
    page: new LazyPage(
      () => import('@/features/account/components/account-page'),
      (it) => it.AccountPage,
    ),
    head: unlisted('Your Account'),
    personal: true,
  },
  {
    path: '/account/sessions',
    page: new LazyPage(
      () => import('./routes/own-sessions'),
      (it) => it.default,
      'own-sessions',
    ),
    head: unlisted('Your Sessions'),
    personal: true,
  },
  {
    path: '/account/sessions/:bookingId',
    page: new LazyPage(
      () => import('./routes/own-session'),
      (it) => it.default,
      'own-session',
    ),
    head: unlisted('Your Session'),
    personal: true,
  },
  {
    path: '/account/waiting',
    page: new LazyPage(
      () => import('./routes/own-waiting'),
      (it) => it.default,
      'own-waiting',
    ),
    head: unlisted('Your Wait List'),
    personal: true,
  },
  {
    path: '/account/receipts',
    page: new LazyPage(
      () => import('@/features/receipts/components/own-receipts-page'),
      (it) => it.OwnReceiptsPage,
      'own-receipts',
    ),
    head: unlisted('Your Receipts'),
    personal: true,
  },
  {
    path: '/sign-in',
    page: new LazyPage(
      () => import('@/features/account/components/sign-in-page'),
      (it) => it.SignInPage,
    ),
    head: unlisted('Sign In'),
    personal: true,
  },
  {
    path: '/sign-up',
    page: new LazyPage(
      () => import('@/features/account/components/sign-up-page'),
      (it) => it.SignUpPage,
    ),
    head: unlisted('Sign Up'),
    personal: true,
  },
  {
    path: '/recover',
    page: new LazyPage(
      () => import('@/features/account/components/recover-page'),
      (it) => it.RecoverPage,
    ),
    head: unlisted('Reset Your Password'),
    personal: true,
  },
  {
    path: '/confirm',
    page: new LazyPage(
      () => import('@/features/account/components/confirm-page'),
      (it) => it.ConfirmPage,
    ),
    head: unlisted('Confirm Your Email'),
    personal: true,
  },
];
