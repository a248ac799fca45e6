/** What the pages of the legal texts are called, and what search engines are told of them. */
import type { LegalName } from '@/lib/legal-text';

type LegalPageWords = { title: string; eyebrow: string; description: string };

export const LEGAL_PAGES: Record<LegalName, LegalPageWords> = {
  privacy: {
    title: 'Privacy Policy',
    eyebrow: 'What you tell us',
    description:
      'What we keep of you, what for, who else gets it, and how you see, correct or delete it.',
  },
  terms: {
    title: 'Terms of Service',
    eyebrow: 'What we agree on',
    description:
      'What a booking is, how you pay and cancel, and what you and we can expect of each other.',
  },
  refunds: {
    title: 'Refund Policy',
    eyebrow: 'When money comes back',
    description:
      'When your money comes back, how, how long it takes, and what you do if it has not come.',
  },
};
