/** Writes an advisory in the form of the RustSec database, which cargo-deny reads. */

const string = (text) => JSON.stringify(text);
const list = (texts) => `[${texts.map(string).join(', ')}]`;

/** The file of an advisory: a table of facts and our own line on what it is. */
export function toRustsec(advisory) {
  const { id, package: name, date, kind, patched, unaffected = [], about } = advisory;
  const informational = kind ? [`informational = ${string(kind)}`] : [];
  const facts = [
    '[advisory]',
    `id = ${string(id)}`,
    `package = ${string(name)}`,
    `date = ${string(date)}`,
    ...informational,
    '',
    '[versions]',
    `patched = ${list(patched)}`,
    `unaffected = ${list(unaffected)}`,
  ];
  return ['```toml', ...facts, '```', '', `# ${about}`, '', 'Facts only.', ''].join('\n');
}
