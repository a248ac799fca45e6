import { LEGAL_NAMES } from './legal-text';

/**
 * A content policy binds to the document, so paths that need their own policy are documents of
 * their own: they are entered and left by a full navigation, never by the router. So are the legal
 * texts, because each stands in its own document alone, and the desk, which has another frame.
 */
const OWN_DOCUMENTS = [
  ...['/booking-flow', '/book', '/book-session', '/desk'],
  ...LEGAL_NAMES.map((name) => `/${name}`),
];

function documentOf(path: string): string {
  const pathname = path.split(/[?#]/, 1)[0] ?? '/';
  return OWN_DOCUMENTS.find((own) => pathname === own || pathname.startsWith(`${own}/`)) ?? '/';
}

/** Whether going from one path to the other has to load a new document. */
export function crossesDocument(from: string, to: string): boolean {
  return documentOf(from) !== documentOf(to);
}
