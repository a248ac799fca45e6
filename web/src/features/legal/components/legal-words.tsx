import { AppLink } from '@/components/ui/app-link';
import { WithCrisisNote } from '@/components/with-numbers';
import type { LegalBlock, LegalWords } from '@/lib/legal-text';
import { numbered } from '@/lib/numbered';

const LINK = 'text-brand underline underline-offset-4 [overflow-wrap:anywhere]';

function Linked({ words: { text, href } }: { words: LegalWords }) {
  if (!href) return <WithCrisisNote text={text} />;
  if (href.startsWith('/')) {
    return (
      <AppLink to={href} className={LINK}>
        {text}
      </AppLink>
    );
  }
  return (
    <a href={href} className={LINK}>
      {text}
    </a>
  );
}

function Line({ words }: { words: readonly LegalWords[] }) {
  return numbered(words).map(({ number, item }) => <Linked key={number} words={item} />);
}

function Block({ block }: { block: LegalBlock }) {
  if (block.kind === 'paragraph') {
    return (
      <p>
        <Line words={block.words} />
      </p>
    );
  }
  return (
    <ul className="flex list-disc flex-col gap-2 pl-5 marker:text-brand print:gap-1">
      {numbered(block.items).map(({ number, item }) => (
        <li key={number} className="pl-1">
          <Line words={item} />
        </li>
      ))}
    </ul>
  );
}

/** Paragraphs and lists with their links. */
export function LegalBlocks({ blocks }: { blocks: readonly LegalBlock[] }) {
  return (
    <div className="measure flex flex-col gap-4 print:max-w-none print:gap-1.5">
      {numbered(blocks).map(({ number, item }) => (
        <Block key={number} block={item} />
      ))}
    </div>
  );
}
