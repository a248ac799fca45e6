/** The practice's legal texts, as the build reads them and their pages show them. */

export const LEGAL_NAMES = ['privacy', 'terms', 'refunds'] as const;
export type LegalName = (typeof LEGAL_NAMES)[number];

/** Some words, and where they lead. */
export type LegalWords = { text: string; href?: string };

export type LegalBlock =
  | { kind: 'paragraph'; words: LegalWords[] }
  | { kind: 'list'; items: LegalWords[][] };

export type LegalSection = {
  /** What its address ends with, behind the #. */
  id: string;
  title: string;
  blocks: LegalBlock[];
};

export type LegalText = {
  /** The day on which the words were last changed: "2026-11-22". */
  changed: string;
  introduction: LegalBlock[];
  sections: LegalSection[];
};

export type LegalTexts = Record<LegalName, LegalText>;
