/**
 * Draws and composes the clips of the services that the project comes with:
 *
 *   node tools/service-clips.mjs <folder> [service id ...]
 *
 * For each service it writes <id>.mp4, its poster <id>.jpg and its captions <id>.vtt. The pictures
 * are drawn in Chromium (clips/scenes.js), the tone is computed by ffmpeg; nothing comes from
 * elsewhere. Only who changes the clips needs ffmpeg: what it made is committed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { CLIPS, captions, SECONDS } from './clips/words.mjs';

const KNOWN_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-first-run'];
/** Everything moves slowly, so that few pictures a second are enough. */
const FRAMES_PER_SECOND = 15;
const [WIDTH, HEIGHT] = [960, 540];
const CLIP_BYTES_MAX = 700_000;
const POSTER_BYTES_MAX = 40_000;
/** Where a scene is open: the top of a breath, without words. */
const POSTER_SECOND = 5;
const FONT = '../node_modules/@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2';

const say = (line) => process.stdout.write(`${line}\n`);

/** A page with a canvas that draws one moment and answers with the picture's bytes. */
async function openCanvas(browser) {
  const page = await browser.newPage();
  const font = await readFile(new URL(FONT, import.meta.url), 'base64');
  await page.addScriptTag({
    content: await readFile(new URL('clips/scenes.js', import.meta.url), 'utf8'),
  });
  await page.evaluate(
    async ([data, width, height]) => {
      const face = new FontFace('Fraunces', `url(data:font/woff2;base64,${data})`, {
        weight: '100 900',
      });
      document.fonts.add(await face.load());
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
      globalThis.pictureOf = async (id, second, lines, options) => {
        globalThis.drawScene(context, id, second, lines);
        const blob = await canvas.convertToBlob(options);
        const reader = new FileReader();
        return new Promise((done) => {
          reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
          reader.readAsDataURL(blob);
        });
      };
    },
    [font, WIDTH, HEIGHT],
  );
  return async (id, second, lines, options) => {
    const base64 = await page.evaluate(
      (given) => globalThis.pictureOf(...given),
      [id, second, lines, options],
    );
    return Buffer.from(base64, 'base64');
  };
}

/**
 * A chord of a ground tone, its fifth and its octave that swells once a breath, a little apart on
 * both sides, so that it seems to come from a room.
 */
function sound({ tone }) {
  const side = (apart) => {
    const part = (times, loud, slow, shift) =>
      `${loud}*sin(2*PI*${(tone * times + apart).toFixed(3)}*t)` +
      `*(0.62+0.38*sin(2*PI*(t/${slow}+${shift})))`;
    const chord = [
      part(1, 0.2, 12, -0.25),
      part(1.5, 0.09, 12, -0.2),
      part(2, 0.07, 8, -0.25),
      part(3, 0.025, 6, -0.25),
    ];
    return chord.join('+');
  };
  return `aevalsrc='${side(0)}|${side(0.35)}':d=${SECONDS}:s=44100`;
}

function encoder(file, clip) {
  const fade = `afade=t=in:d=2.5,afade=t=out:st=${SECONDS - 3}:d=3`;
  return spawn(
    'ffmpeg',
    [
      ['-hide_banner', '-loglevel', 'error', '-y'],
      ['-f', 'image2pipe', '-c:v', 'png', '-framerate', `${FRAMES_PER_SECOND}`, '-i', '-'],
      ['-f', 'lavfi', '-i', sound(clip)],
      ['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'],
      ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
      ['-c:v', 'libx264', '-preset', 'slow', '-profile:v', 'high', '-crf', '23'],
      ['-maxrate', '150k', '-bufsize', '600k', '-g', `${FRAMES_PER_SECOND * 2}`],
      [
        '-x264-params',
        'aq-mode=3:deblock=1,1:chroma-qp-offset=-6',
        '-tune',
        'animation',
        '-threads',
        '2',
      ],
      ['-af', `${fade},lowpass=f=1800`, '-c:a', 'aac', '-b:a', '48k', '-ac', '2'],
      ['-map_metadata', '-1', '-fflags', '+bitexact', '-movflags', '+faststart'],
      ['-t', `${SECONDS}`, file],
    ].flat(),
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
}

async function writeClip(picture, id, clip, file) {
  const child = encoder(file, clip);
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`ffmpeg does not start (${error.code}): install it to make clips.`);
  });
  const ended = once(child, 'exit');
  const frames = async () => {
    for (let frame = 0; frame < SECONDS * FRAMES_PER_SECOND; frame += 1) {
      const png = await picture(id, frame / FRAMES_PER_SECOND, clip.lines, { type: 'image/png' });
      if (!child.stdin.write(png)) await once(child.stdin, 'drain');
    }
    child.stdin.end();
    return ended;
  };
  const [code] = await Promise.race([frames(), failed]);
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}.`);
}

/** The best poster that stays small. */
async function writePoster(picture, id, file) {
  for (let quality = 0.86; quality > 0.3; quality -= 0.06) {
    const jpeg = await picture(id, POSTER_SECOND, [], { type: 'image/jpeg', quality });
    if (jpeg.length > POSTER_BYTES_MAX) continue;
    await writeFile(file, jpeg);
    return;
  }
  throw new Error(`${id}: no poster is small enough.`);
}

async function make(picture, id, folder) {
  const clip = CLIPS[id];
  if (clip === undefined) throw new Error(`${id} has no clip: ${Object.keys(CLIPS).join(', ')}`);
  const file = join(folder, `${id}.mp4`);
  await writeClip(picture, id, clip, file);
  const { size } = await stat(file);
  if (size > CLIP_BYTES_MAX) {
    await rm(file);
    throw new Error(`${id}: ${size} bytes are more than ${CLIP_BYTES_MAX}.`);
  }
  await writePoster(picture, id, join(folder, `${id}.jpg`));
  await writeFile(join(folder, `${id}.vtt`), captions(clip));
  say(`✓ ${id} ${Math.round(size / 1000)} kB`);
}

async function main(given, wanted) {
  const folder = resolve(given);
  await mkdir(folder, { recursive: true });
  const path = process.env.CHROME_PATH || KNOWN_BROWSERS.find((known) => existsSync(known));
  const browser = await chromium.launch({ executablePath: path, args: ARGUMENTS });
  const picture = await openCanvas(browser);
  for (const id of wanted.length > 0 ? wanted : Object.keys(CLIPS)) {
    await make(picture, id, folder);
  }
  await browser.close();
}

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Say which folder the clips go to.\n');
  process.exitCode = 2;
} else {
  await main(folder, wanted);
}
