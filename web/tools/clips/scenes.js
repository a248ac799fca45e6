/**
 * The clips' pictures, drawn on a canvas in the browser: `drawScene(context, id, seconds, words)`.
 * They move the motifs of src/components/art through dusk colours. Every movement is a function of
 * the time alone and comes back to its begin after SECONDS, so that a clip has no seam.
 */
(() => {
  const WIDTH = 960;
  const HEIGHT = 540;
  const SECONDS = 24;
  const BREATH = 12;
  const TURN = 2 * Math.PI;
  const LIGHT = '#fff3dd';

  /** The accents of the services after sunset: sky above, sky below, ink and spark. */
  const COLOURS = {
    leaf: { high: '#173830', low: '#2b6355', ink: '#8ccbb6', deep: '#0f2a24', spark: '#e9a07a' },
    clay: { high: '#3c1f16', low: '#8a4124', ink: '#f0a47e', deep: '#2a1510', spark: '#a5dac8' },
    plum: { high: '#221c36', low: '#5b4a7a', ink: '#c4b5e3', deep: '#18132a', spark: '#e9a07a' },
  };

  const range = (count) => Array.from({ length: count }, (_, index) => index);
  const smooth = (x) => x * x * (3 - 2 * x);
  const clamp = (x) => Math.min(1, Math.max(0, x));
  /** From -1 to 1, `times` waves in a clip. */
  const wave = (t, times, shift = 0) => Math.sin(TURN * ((t * times) / SECONDS + shift));

  /** How full the lungs are, from 0 to 1: in for four seconds, a rest of two, out for six. */
  function breathAt(t) {
    const at = ((t % BREATH) + BREATH) % BREATH;
    if (at < 4) return smooth(at / 4);
    return at < 6 ? 1 : smooth(1 - (at - 6) / 6);
  }

  /** The same numbers in every run, so that a clip is drawn the same by everyone. */
  function seeded(seed) {
    let state = seed;
    return () => {
      state = (state * 1664525 + 1013904223) % 4294967296;
      return state / 4294967296;
    };
  }

  function sky(c, { high, low }) {
    const fill = c.createLinearGradient(0, 0, 0, HEIGHT);
    fill.addColorStop(0, high);
    fill.addColorStop(1, low);
    c.fillStyle = fill;
    c.fillRect(0, 0, WIDTH, HEIGHT);
  }

  function disc(c, x, y, radius, colour, alpha = 1) {
    c.globalAlpha = alpha;
    c.fillStyle = colour;
    c.beginPath();
    c.arc(x, y, radius, 0, TURN);
    c.fill();
    c.globalAlpha = 1;
  }

  function ring(c, x, y, radius, colour, alpha, width = 2) {
    c.globalAlpha = alpha;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.arc(x, y, radius, 0, TURN);
    c.stroke();
    c.globalAlpha = 1;
  }

  function shape(c, path, colour, alpha) {
    c.globalAlpha = alpha;
    c.fillStyle = colour;
    c.fill(path);
    c.globalAlpha = 1;
  }

  /** A ridge of two waves that drifts sideways by whole waves. */
  function ridge(c, y, swell, colour, alpha, { t, drift, shift }) {
    const path = new Path2D();
    path.moveTo(0, HEIGHT);
    for (let x = 0; x <= WIDTH; x += 8) {
      const along = x / WIDTH + (t * drift) / SECONDS + shift;
      const rise = Math.sin(TURN * along) + 0.42 * Math.sin(TURN * (2 * along + shift));
      path.lineTo(x, y - swell * rise);
    }
    path.lineTo(WIDTH, HEIGHT);
    path.closePath();
    shape(c, path, colour, alpha);
  }

  /** First light over hills. */
  function dawn(c, t) {
    const { ink, deep, spark } = COLOURS.leaf;
    sky(c, COLOURS.leaf);
    const b = breathAt(t);
    const y = 286 - 26 * b;
    for (const i of range(4)) {
      disc(c, 480, y, 120 + i * 74 + b * (10 + i * 6), LIGHT, 0.11 - i * 0.022);
    }
    disc(c, 480, y, 84 + 4 * b, spark, 0.95);
    ridge(c, 356, 26, ink, 0.26, { t, drift: 1, shift: 0.1 });
    ridge(c, 408, 30, '#2b6355', 0.9, { t, drift: -1, shift: 0.46 });
    ridge(c, 470, 22, deep, 0.95, { t, drift: 1, shift: 0.72 });
  }

  /** A still axis, its seven lights from the ground up, and the field around it. */
  function field(c, t) {
    const { ink, spark } = COLOURS.clay;
    sky(c, COLOURS.clay);
    const b = breathAt(t);
    for (const i of range(7)) {
      c.beginPath();
      c.ellipse(480, 236, 52 + i * 56 + b * (6 + i * 5), 176 + i * 20 + b * 8, 0, 0, TURN);
      c.globalAlpha = 0.055;
      c.fillStyle = ink;
      c.fill();
      c.globalAlpha = 0.6 - i * 0.075;
      c.strokeStyle = ink;
      c.lineWidth = 2;
      c.stroke();
    }
    c.globalAlpha = 1;
    for (const i of range(7)) {
      const lit = smooth(clamp(b * 7.6 - i));
      const y = 386 - i * 50;
      disc(c, 480, y, 14 + 16 * lit, spark, 0.16 * lit);
      disc(c, 480, y, 9 + 4 * lit, ink, 0.7);
      disc(c, 480, y, 9 + 4 * lit, lit > 0 ? spark : ink, lit);
    }
  }

  /** Rings on still water that open and close with the breath. */
  function breath(c, t) {
    const { ink, spark } = COLOURS.leaf;
    sky(c, COLOURS.leaf);
    const b = breathAt(t);
    for (const i of range(7)) {
      disc(c, 480, 236, (360 - i * 48) * (0.74 + 0.26 * b), ink, 0.045 + i * 0.016);
    }
    for (const i of range(4)) {
      ring(c, 480, 236, (70 + i * 52) * (0.7 + 0.36 * b), ink, 0.62 - i * 0.13);
    }
    disc(c, 480, 236, 26 + 30 * b, spark, 0.22);
    disc(c, 480, 236, 18 + 16 * b, spark, 1);
  }

  /** A moon of a radius; `age` runs from 0 (new) over 0.5 (full) to 1 (new). */
  function moon(c, radius, age, ink, ground) {
    disc(c, 0, 0, radius, ground, 0.9);
    disc(c, 0, 0, radius, ink, 0.16);
    const waxing = age < 0.5;
    const bend = Math.cos(TURN * age) * radius;
    const path = new Path2D();
    path.arc(0, 0, radius, -TURN / 4, TURN / 4, !waxing);
    path.ellipse(0, 0, Math.abs(bend), radius, 0, TURN / 4, -TURN / 4, bend > 0 === waxing);
    shape(c, path, LIGHT, 0.94);
  }

  /** The moon's way across a clear night. */
  function moons(c, t) {
    const { ink, deep, high } = COLOURS.plum;
    sky(c, COLOURS.plum);
    const next = seeded(11);
    for (const i of range(42)) {
      const [x, y, size] = [next() * WIDTH, next() * 330, 0.9 + next() * 1.5];
      disc(c, x, y, size, LIGHT, 0.45 + 0.35 * wave(t, 1 + (i % 3), i / 7));
    }
    ring(c, 480, 660, 470, ink, 0.35);
    const step = 0.062;
    for (const i of range(11)) {
      const place = i - 5 + (t * 2) / SECONDS - 1;
      const age = clamp(0.5 + place / 8);
      const angle = (place * step - 0.25) * TURN;
      const near = smooth(clamp(1 - Math.abs(place)));
      c.save();
      c.translate(480 + 470 * Math.cos(angle), 660 + 470 * Math.sin(angle));
      disc(c, 0, 0, 64 + 10 * near, LIGHT, 0.1 * near);
      disc(c, 0, 0, 50 + 6 * near, LIGHT, 0.12 * near);
      moon(c, 34 + 6 * near, age, ink, high);
      c.restore();
    }
    ridge(c, 420, 20, ink, 0.22, { t, drift: 0, shift: 0.2 });
    ridge(c, 462, 16, deep, 0.9, { t, drift: 0, shift: 0.6 });
  }

  const LEAF = new Path2D('M0 0C10-26 44-38 74-30C62-4 30 10 0 0Z');

  function leaf(c, x, y, side, turn, size, colour, alpha) {
    c.save();
    c.translate(x, y);
    c.scale(side * size, size);
    c.rotate(turn);
    shape(c, LEAF, colour, alpha);
    c.restore();
  }

  /** A young plant that leans a little in the wind and opens as one breathes. */
  function sprig(c, t) {
    const { ink, deep, spark } = COLOURS.leaf;
    sky(c, COLOURS.leaf);
    const b = breathAt(t);
    disc(c, 480, 210, 250 + 14 * b, LIGHT, 0.07);
    disc(c, 480, 210, 184 + 12 * b, LIGHT, 0.09);
    disc(c, 566, 120, 60 + 6 * b, spark, 0.2);
    disc(c, 566, 120, 44 + 2 * b, spark, 0.95);
    const lean = 16 * wave(t, 1);
    const stem = (part) => 480 + lean * part * part;
    c.strokeStyle = ink;
    c.lineWidth = 6;
    c.lineCap = 'round';
    c.beginPath();
    c.moveTo(480, 456);
    c.quadraticCurveTo(480, 290, 480 + lean, 84);
    c.stroke();
    for (const i of range(4)) {
      const part = 0.2 + i * 0.2;
      const y = 456 - 372 * part;
      const turn = 0.2 - 0.3 * b + 0.05 * wave(t, 2, i / 5);
      const size = 1.9 - i * 0.28;
      leaf(c, stem(part), y, 1, turn, size, ink, 0.94 - i * 0.08);
      leaf(c, stem(part + 0.09), y - 34, -1, turn, size, ink, 0.94 - i * 0.08);
    }
    c.save();
    c.translate(480 + lean, 88);
    shape(c, new Path2D('M0 6C-18-22-14-54 0-76C14-54 18-22 0 6Z'), ink, 0.85);
    c.restore();
    ridge(c, 448, 14, deep, 0.55, { t, drift: 0, shift: 0.15 });
    ridge(c, 476, 10, deep, 0.95, { t, drift: 0, shift: 0.6 });
  }

  /** Two circles of waves that draw near, meet and leave room again. */
  function meeting(c, t) {
    const { ink, spark } = COLOURS.clay;
    sky(c, COLOURS.clay);
    const near = smooth(0.5 + 0.5 * wave(t, 2, -0.25));
    const gap = 178 - 48 * near;
    for (const side of [-1, 1]) {
      const x = 480 + side * gap;
      for (const i of range(6)) {
        const out = (i + (t * 4) / SECONDS) % 6;
        const fading = Math.sin((Math.PI * (out + 0.4)) / 6.8);
        disc(c, x, 226, 40 + out * 46, ink, 0.055 * fading);
        ring(c, x, 226, 40 + out * 46, ink, 0.5 * fading * (1 - out / 7));
      }
      disc(c, x, 226, 24, ink, 0.95);
    }
    const half = 60 + 34 * near;
    const width = 22 + 22 * near;
    const lens = new Path2D(
      `M480 ${226 - half}C${480 + width} ${226 - half / 2} ${480 + width} ${226 + half / 2} 480 ${226 + half}` +
        `C${480 - width} ${226 + half / 2} ${480 - width} ${226 - half / 2} 480 ${226 - half}Z`,
    );
    shape(c, lens, spark, 0.3 + 0.65 * near);
  }

  function petals(c, count, turn, path, colour, fill, line) {
    for (const i of range(count)) {
      c.save();
      c.rotate((i / count) * TURN + turn);
      shape(c, path, colour, fill);
      c.globalAlpha = line;
      c.strokeStyle = colour;
      c.lineWidth = 2;
      c.stroke(path);
      c.restore();
    }
    c.globalAlpha = 1;
  }

  /** Petals that turn around one centre, the inner ones against the outer ones. */
  function wheel(c, t) {
    const { ink, spark, high } = COLOURS.plum;
    sky(c, COLOURS.plum);
    const b = breathAt(t);
    // Twelve petals look the same after a twelfth of a turn, so the end meets the begin.
    const turn = ((t / SECONDS) * TURN) / 12;
    c.save();
    c.translate(480, 232);
    disc(c, 0, 0, 232 + 8 * b, LIGHT, 0.05);
    const long = 196 + 20 * b;
    const outer = new Path2D(
      `M0-70C${40 + 6 * b}-118 ${40 + 6 * b}-${long - 44} 0-${long}` +
        `C${-40 - 6 * b}-${long - 44} ${-40 - 6 * b}-118 0-70Z`,
    );
    petals(c, 12, turn, outer, ink, 0.2, 0.55);
    petals(c, 12, -turn, new Path2D('M0-38C26-70 26-108 0-136C-26-108-26-70 0-38Z'), ink, 0.55, 0);
    for (const i of range(24)) {
      const angle = (i / 24) * TURN + turn;
      const size = i % 2 === 0 ? 4.5 : 2.4;
      disc(c, 236 * Math.cos(angle), 236 * Math.sin(angle), size, ink, 0.65);
    }
    disc(c, 0, 0, 34, high, 1);
    disc(c, 0, 0, 26 + 6 * b, spark, 0.22);
    disc(c, 0, 0, 19 + 2 * b, spark, 1);
    c.restore();
  }

  const SCENES = {
    'general-consultation': dawn,
    'energy-healing': field,
    meditation: breath,
    'vedic-astrology': moons,
    'mental-health': sprig,
    'relationship-counseling': meeting,
    'karmic-healing': wheel,
  };

  /** A line of words that comes and goes softly. */
  function write(c, t, { from, to, words }) {
    const alpha = Math.min(smooth(clamp((t - from) / 0.9)), smooth(clamp((to - t) / 0.9)));
    if (alpha <= 0) return;
    c.globalAlpha = alpha;
    c.fillStyle = LIGHT;
    c.font = '500 46px Fraunces';
    c.textAlign = 'center';
    c.fillText(words, 480, 512);
    c.globalAlpha = 1;
  }

  globalThis.drawScene = (context, id, t, lines) => {
    SCENES[id](context, t);
    for (const line of lines) write(context, t, line);
  };
})();
