/** Titles of the legal texts' pages, and their descriptions for search engines. */
import type { LegalName } from '@/lib/legal-text';

type LegalPageWords = {
  title: string;
  /** What the footer calls it. */
  label: string;
  eyebrow: string;
  description: string;
};

export const LEGAL_PAGES: Record<LegalName, LegalPageWords> = {
  privacy: {
    title: 'Privacy Policy',
    label: 'Privacy',
    eyebrow: 'What you tell us',
    description:
      'What we keep of you, what for, who else gets it, and how you see, correct or delete it.',
  },
  terms: {
    title: 'Terms of Service',
    label: 'Terms',
    eyebrow: 'What we agree on',
    description:
      'What a booking is, how you pay and cancel, and what you and we can expect of each other.',
  },
  refunds: {
    title: 'Refund Policy',
    label: 'Refunds',
    eyebrow: 'When money comes back',
    description:
      'When your money comes back, how, how long it takes, and what you do if it has not come.',
  },
};
