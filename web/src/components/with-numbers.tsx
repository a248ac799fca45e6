import { numbered } from '@/lib/numbered';
import { type Piece, withNumbers } from '@/lib/phone-numbers';
import { usePractice } from '@/lib/practice';

/** Bold, and a little taller than its line, so that a shaking thumb finds it. */
const NUMBER =
  'inline-block py-1 -my-1 font-semibold text-brand underline underline-offset-4 whitespace-nowrap numeric';

function Linked({ pieces }: { pieces: readonly Piece[] }) {
  return numbered(pieces).map(({ number: key, item }) =>
    item.number ? (
      <a key={key} href={`tel:${item.number}`} className={NUMBER}>
        {item.text}
      </a>
    ) : (
      item.text
    ),
  );
}

/** A text of the practice's with its phone numbers as links. */
export function WithNumbers({ text }: { text: string }) {
  return <Linked pieces={withNumbers(text)} />;
}

/** A text in which the numbers of the note on help in a crisis are links, and no other number is. */
export function WithHelplines({ text }: { text: string }) {
  const { crisisNote } = usePractice();
  const helplines = withNumbers(crisisNote).flatMap(({ number }) => number ?? []);
  const pieces = withNumbers(text).map((piece) =>
    piece.number && helplines.includes(piece.number) ? piece : { text: piece.text },
  );
  return <Linked pieces={pieces} />;
}

/** A longer text, in which only the practice's note on help in a crisis has links. */
export function WithCrisisNote({ text }: { text: string }) {
  const { crisisNote } = usePractice();
  const at = crisisNote ? text.indexOf(crisisNote) : -1;
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <WithNumbers text={crisisNote} />
      {text.slice(at + crisisNote.length)}
    </>
  );
}
