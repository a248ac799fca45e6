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

/** Names the words of one text: the day of their last change, and their SHA-256 hash. */
export type LegalVersion = { version: string; hash: string };

/** The versions that this build's pages show; a request that accepts them says which. */
export type LegalVersions = Record<LegalName, LegalVersion>;

/** What an agreement was given to, as its request says it. */
export type ShownTexts = Partial<LegalVersions> & { noticeHours: number };
