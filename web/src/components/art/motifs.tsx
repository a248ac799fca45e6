/**
 * The drawn pictures. Each motif fills 400 × 300 with three colours that the frame sets: ground,
 * ink and spark. They are made of a few shapes and must not depend on anything but their numbers.
 */
import type { ComponentType } from 'react';
import { round } from './random';

export type MotifProps = { next: () => number };

const INK = 'var(--art-ink)';
const SPARK = 'var(--art-spark)';
const LIGHT = 'var(--art-light)';

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function point(cx: number, cy: number, radius: number, turn: number): { x: number; y: number } {
  const angle = (turn - 0.25) * 2 * Math.PI;
  return { x: round(cx + radius * Math.cos(angle)), y: round(cy + radius * Math.sin(angle)) };
}

/** A calm ridge from edge to edge, closed at the bottom. */
function ridge(y: number, swell: number, next: () => number): string {
  const a = round(y - swell * (0.4 + next() * 0.6));
  const b = round(y + swell * (0.2 + next() * 0.6));
  const end = round(y - swell * next() * 0.6);
  return `M0 ${y}C90 ${a} 150 ${a} 215 ${y}S330 ${b} 400 ${end}V300H0Z`;
}

/** First light over hills: where one begins. */
function Dawn({ next }: MotifProps) {
  const x = round(170 + next() * 60);
  return (
    <>
      {range(4).map((i) => (
        <circle
          key={i}
          cx={x}
          cy="158"
          r={70 + i * 34}
          fill={LIGHT}
          fillOpacity={0.34 - i * 0.07}
        />
      ))}
      <circle cx={x} cy="158" r="46" fill={SPARK} fillOpacity="0.9" />
      <path d={ridge(176, 26, next)} fill={INK} fillOpacity="0.22" />
      <path d={ridge(206, 34, next)} fill={INK} fillOpacity="0.42" />
      <path d={ridge(246, 28, next)} fill={INK} fillOpacity="0.85" />
    </>
  );
}

/** Rings on still water: one breath after the other. */
export function Breath({ next }: MotifProps) {
  const lean = round(next() * 12 - 6);
  return (
    <>
      {range(7).map((i) => (
        <circle
          key={i}
          cx={round(200 + lean * (i / 6))}
          cy={round(150 + i * 3)}
          r={round(176 - i * 25)}
          fill={INK}
          fillOpacity={round(0.6 + i * 0.5) / 10}
        />
      ))}
      {range(4).map((i) => (
        <circle
          key={i}
          cx="200"
          cy="160"
          r={58 + i * 44}
          fill="none"
          stroke={INK}
          strokeOpacity={0.42 - i * 0.09}
          strokeWidth="1.2"
        />
      ))}
      <circle cx={200 + lean} cy="168" r="15" fill={SPARK} />
    </>
  );
}

/** A still axis and the field around it. */
export function Field({ next }: MotifProps) {
  const tilt = round(next() * 8 - 4);
  return (
    <g transform={`rotate(${tilt} 200 150)`}>
      {range(7).map((i) => (
        <ellipse
          key={i}
          cx="200"
          cy="150"
          rx={22 + i * 25}
          ry={88 + i * 11}
          fill={INK}
          fillOpacity="0.05"
          stroke={INK}
          strokeOpacity={round((0.62 - i * 0.07) * 10) / 10}
          strokeWidth="1.2"
        />
      ))}
      {range(7).map((i) => (
        <circle
          key={i}
          cx="200"
          cy={84 + i * 22}
          r={i === 3 ? 9 : 5.5}
          fill={i === 3 ? SPARK : INK}
          fillOpacity={i === 3 ? 1 : 0.75}
        />
      ))}
    </g>
  );
}

function phase(turn: number): string {
  // The lit part of a moon of radius 15: an outer half circle and an inner ellipse.
  const inner = round(15 * Math.abs(turn));
  return `M0-15A15 15 0 0 1 0 15A${inner} 15 0 0 ${turn > 0 ? 0 : 1} 0-15Z`;
}

/** The moon's way across a clear night. */
function Moons({ next }: MotifProps) {
  const stars = range(16).map(() => ({
    x: round(20 + next() * 360),
    y: round(16 + next() * 190),
    r: round(0.8 + next() * 1.2),
  }));
  return (
    <>
      <circle cx="200" cy="270" r="176" fill={LIGHT} fillOpacity="0.3" />
      <circle cx="200" cy="270" r="176" fill="none" stroke={INK} strokeOpacity="0.4" />
      {stars.map((star) => (
        <circle key={`${star.x}-${star.y}`} cx={star.x} cy={star.y} r={star.r} fill={INK} />
      ))}
      {range(7).map((i) => {
        const { x, y } = point(200, 270, 176, (i - 3) * 0.068);
        const turn = (i - 3) / 3;
        return (
          <g key={i} transform={`translate(${x} ${y})`}>
            <circle r="15" fill="var(--art-ground)" />
            <circle r="15" fill={INK} fillOpacity="0.18" />
            {i === 3 ? (
              <circle r="19" fill={SPARK} />
            ) : (
              <path
                d={phase(Math.abs(turn) * 2 - 1)}
                fill={INK}
                transform={turn > 0 ? 'scale(-1 1)' : undefined}
              />
            )}
          </g>
        );
      })}
      <path d={ridge(222, 20, next)} fill={INK} fillOpacity="0.5" />
      <path d={ridge(240, 14, next)} fill={INK} fillOpacity="0.9" />
    </>
  );
}

/** A young plant before the sun: growth at its own pace. */
function Sprig({ next }: MotifProps) {
  const leaf = 'M0 0C10-26 44-38 74-30C62-4 30 10 0 0Z';
  const lean = round(next() * 4 - 2);
  return (
    <>
      <circle cx="200" cy="140" r="118" fill={LIGHT} fillOpacity="0.45" />
      <circle cx="200" cy="140" r="88" fill={LIGHT} fillOpacity="0.5" />
      <circle cx="236" cy="92" r="24" fill={SPARK} fillOpacity="0.9" />
      <g transform={`rotate(${lean} 200 290)`} fill={INK}>
        <path
          d="M200 292C196 230 204 150 200 62"
          fill="none"
          stroke={INK}
          strokeWidth="3"
          strokeLinecap="round"
        />
        {range(4).map((i) => {
          const y = 236 - i * 45;
          const scale = round((1.05 - i * 0.16) * 100) / 100;
          const turn = round(-8 + next() * 16);
          return (
            <g key={i} fillOpacity={0.92 - i * 0.1}>
              <path d={leaf} transform={`translate(200 ${y}) rotate(${turn}) scale(${scale})`} />
              <path
                d={leaf}
                transform={`translate(200 ${y - 20}) rotate(${-turn}) scale(-${scale} ${scale})`}
              />
            </g>
          );
        })}
        <path d="M200 66C190 50 192 34 200 22C208 34 210 50 200 66Z" fillOpacity="0.8" />
      </g>
      <path d={ridge(278, 14, next)} fill={INK} fillOpacity="0.25" />
    </>
  );
}

/** Two circles of waves that meet. */
export function Meeting({ next }: MotifProps) {
  const gap = round(56 + next() * 10);
  return (
    <>
      {[-1, 1].map((side) => (
        <g key={side}>
          {range(5).map((i) => (
            <circle
              key={i}
              cx={200 + side * gap}
              cy="150"
              r={34 + i * 24}
              fill={INK}
              fillOpacity={side > 0 ? 0.1 : 0.06}
              stroke={INK}
              strokeOpacity={0.5 - i * 0.07}
              strokeWidth="1.2"
            />
          ))}
          <circle cx={200 + side * gap} cy="150" r="12" fill={INK} fillOpacity="0.9" />
        </g>
      ))}
      <path
        d="M200 96C224 118 224 182 200 204C176 182 176 118 200 96Z"
        fill={SPARK}
        fillOpacity="0.9"
      />
    </>
  );
}

/** Twelve petals around one centre: what returns. */
function Wheel({ next }: MotifProps) {
  const turn = round(next() * 15);
  const outer = 'M0-44C24-74 24-112 0-138C-24-112-24-74 0-44Z';
  const inner = 'M0-24C16-44 16-68 0-86C-16-68-16-44 0-24Z';
  return (
    <g transform={`translate(200 150) rotate(${turn})`}>
      <circle r="142" fill={LIGHT} fillOpacity="0.4" />
      {range(12).map((i) => (
        <path
          key={i}
          d={outer}
          fill={INK}
          fillOpacity="0.22"
          stroke={INK}
          strokeOpacity="0.5"
          transform={`rotate(${i * 30})`}
        />
      ))}
      {range(12).map((i) => (
        <path key={i} d={inner} fill={INK} fillOpacity="0.7" transform={`rotate(${i * 30 + 15})`} />
      ))}
      {range(24).map((i) => {
        const { x, y } = point(0, 0, 150, i / 24);
        return <circle key={i} cx={x} cy={y} r={i % 2 ? 1.6 : 3} fill={INK} fillOpacity="0.6" />;
      })}
      <circle r="20" fill="var(--art-ground)" />
      <circle r="12" fill={SPARK} />
    </g>
  );
}

const MOTIFS: readonly ComponentType<MotifProps>[] = [
  Dawn,
  Breath,
  Field,
  Moons,
  Sprig,
  Meeting,
  Wheel,
];

/** Services that the practice starts with have pictures of their own; others get one by chance. */
const BY_SEED: Record<string, ComponentType<MotifProps>> = {
  'general-consultation': Dawn,
  'energy-healing': Field,
  meditation: Breath,
  'vedic-astrology': Moons,
  'mental-health': Sprig,
  'relationship-counseling': Meeting,
  'karmic-healing': Wheel,
};

export function motifOf(seed: string, next: () => number): ComponentType<MotifProps> {
  return BY_SEED[seed] ?? MOTIFS[Math.floor(next() * MOTIFS.length)] ?? Dawn;
}
