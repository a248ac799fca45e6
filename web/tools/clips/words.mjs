/** What the clips say: drawn into the picture and written as captions, so that both always agree. */

/** Seconds of a clip; every movement in scenes.js comes back to its begin after this time. */
export const SECONDS = 24;

/** One breath: in over four seconds, a rest of two, out over six; two of them fill a clip. */
const IN = 4;
const REST = 2;
const BREATH = 12;

function breath(start) {
  return [
    { from: start + 0.3, to: start + IN, words: 'Breathe in…' },
    { from: start + IN + 0.1, to: start + IN + REST, words: 'Rest' },
    { from: start + IN + REST + 0.1, to: start + BREATH - 0.4, words: 'Breathe out…' },
  ];
}

const guided = [...breath(0), ...breath(BREATH)];

/** Two sentences and the tone that carries them. */
function spoken(first, second) {
  return [
    { from: 2.5, to: 10, words: first },
    { from: 13.5, to: 21, words: second },
  ];
}

/**
 * Each service's clip: the words in their order, what a listener hears, and the tone's ground
 * frequency in hertz.
 */
export const CLIPS = {
  'general-consultation': {
    lines: spoken('Come as you are.', 'One clear first step is enough.'),
    sound: 'soft, warm tone swells like first light',
    tone: 174.61,
  },
  'energy-healing': {
    lines: guided,
    sound: 'low, steady tone rises and falls with the breath',
    tone: 146.83,
  },
  meditation: {
    lines: guided,
    sound: 'soft, low tone swells with the breath',
    tone: 164.81,
  },
  'vedic-astrology': {
    lines: spoken('A chart asks good questions.', 'You choose the way.'),
    sound: 'clear, high tone shimmers softly',
    tone: 220,
  },
  'mental-health': {
    lines: spoken('Feel your feet on the ground.', 'Let the out-breath be long.'),
    sound: 'warm, low tone swells slowly',
    tone: 155.56,
  },
  'relationship-counseling': {
    lines: spoken('One speaks. One listens.', 'Then it is the other’s turn.'),
    sound: 'two soft tones come together',
    tone: 185,
  },
  'karmic-healing': {
    lines: spoken('What returns can be met.', 'And then laid down.'),
    sound: 'deep, round tone turns slowly',
    tone: 138.59,
  },
};

function clock(seconds) {
  return `00:00:${seconds.toFixed(3).padStart(6, '0')}`;
}

/** The captions as WebVTT; they stand at the top, because the words are drawn at the bottom. */
export function captions({ lines, sound }) {
  const [first] = lines;
  const told = { from: 0, to: Math.max(first.from, 2.4), words: `[${sound}]` };
  const rest = lines.map((line) => ({ ...line, from: Math.max(line.from, told.to) }));
  const last = { from: 22.2, to: SECONDS, words: '[the tone fades]' };
  const shown = [told, ...rest, last]
    .map((cue, index, all) => ({ ...cue, to: Math.min(cue.to, all[index + 1]?.from ?? SECONDS) }))
    .map(({ from, to, words }) => `${clock(from)} --> ${clock(to)} line:8%\n${words}\n`);
  return `WEBVTT\n\n${shown.join('\n')}`;
}
