/**
 * The search for a number behind which SHA-256 begins with enough zero bits. The browser's own
 * SHA-256 is asynchronous, which takes longer than the hash of such a short text.
 */

const ROUND_CONSTANTS = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const INITIAL = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  }
  return found;
}

/** The first 32 bits behind the point. */
function fraction(number: number): number {
  return Math.floor((number - Math.floor(number)) * 2 ** 32);
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function schedule(words: Uint32Array, block: DataView, at: number): void {
  for (let n = 0; n < 16; n += 1) words[n] = block.getUint32(at + n * 4);
  for (let n = 16; n < 64; n += 1) {
    const [early, late] = [words[n - 15] ?? 0, words[n - 2] ?? 0];
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[n] = (words[n - 16] ?? 0) + s0 + (words[n - 7] ?? 0) + s1;
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let n = 0; n < 64; n += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + s1 + choice + (ROUND_CONSTANTS[n] ?? 0) + (words[n] ?? 0)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [n, word] of [a, b, c, d, e, f, g, h].entries()) state[n] = (state[n] ?? 0) + word;
}

/** SHA-256 of a text, as eight words. */
export function sha256(text: string): Uint32Array {
  const bytes = new TextEncoder().encode(text);
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const [state, words] = [INITIAL.slice(), new Uint32Array(64)];
  for (let block = 0; block < blocks; block += 1) {
    schedule(words, view, block * BLOCK_BYTES);
    compress(state, words);
  }
  return state;
}

/** The work for `<zero bits>.<challenge>`: the challenge, a dot and a number. */
export function searchWork(asked: string): string {
  const dot = asked.indexOf('.');
  const [bits, challenge] = [Number(asked.slice(0, dot)), asked.slice(dot + 1)];
  for (let number = 0; ; number += 1) {
    const token = `${challenge}.${number}`;
    if (Math.clz32(sha256(token)[0] ?? 0) >= bits) return token;
  }
}
