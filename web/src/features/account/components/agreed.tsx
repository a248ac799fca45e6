type ReadProps = { href: string; children: string };

/** In a tab of its own, so that nothing typed here is lost. */
function Read({ href, children }: ReadProps) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener"
      className="text-brand underline underline-offset-4"
    >
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** What an account agrees to, in a sentence that begins with how it is made. */
export function Agreed({ begins = 'By creating an account you' }: { begins?: string }) {
  return (
    <p className="text-sm text-ink-2">
      {begins} agree to our <Read href="/terms">Terms</Read>. We use your details to book sessions
      and to reach you about them, and never sell them; our{' '}
      <Read href="/privacy">Privacy Policy</Read> says what we keep and who gets it.
    </p>
  );
}
