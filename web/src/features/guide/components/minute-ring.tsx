import type { MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';

type MinuteRingProps = {
  /** Minutes of each step in order; none while they are not known. */
  steps: readonly Pick<MeditationGuide['steps'][number], 'minutes'>[];
  className?: string;
};

const CENTRE = 160;
const RADIUS = 118;
/** The circle's length as its arcs count it, and what is left free between two of them. */
const WHOLE = 1000;
const GAP = 22;

type Arc = { number: number; from: number; length: number };

function arcs(steps: MinuteRingProps['steps']): Arc[] {
  const all = steps.reduce((sum, { minutes }) => sum + minutes, 0);
  let passed = 0;
  return steps.map(({ minutes }, index) => {
    const from = (passed / all) * WHOLE;
    passed += minutes;
    return { number: index + 1, from, length: (minutes / all) * WHOLE };
  });
}

/** The position of an arc's number, outside of the ring. */
function place({ from, length }: Arc): { x: number; y: number } {
  const angle = ((from + length / 2) / WHOLE - 0.25) * 2 * Math.PI;
  const at = (turn: number) => Math.round((CENTRE + (RADIUS + 27) * turn) * 10) / 10;
  return { x: at(Math.cos(angle)), y: at(Math.sin(angle)) };
}

/**
 * The minutes of the guide as a ring, one arc for each step. It repeats what the page says in words,
 * so it is hidden from listeners.
 */
export function MinuteRing({ steps, className }: MinuteRingProps) {
  return (
    <svg viewBox="0 0 320 320" aria-hidden="true" className={className}>
      {[104, 78, 52].map((radius) => (
        <circle
          key={radius}
          cx={CENTRE}
          cy={CENTRE}
          r={radius}
          fill="var(--art-ink)"
          fillOpacity="0.07"
        />
      ))}
      <circle
        cx={CENTRE}
        cy={CENTRE}
        r="24"
        fill="var(--art-spark)"
        fillOpacity="0.9"
        className="animate-breathe"
      />
      {arcs(steps).map((arc) => (
        <circle
          key={arc.number}
          cx={CENTRE}
          cy={CENTRE}
          r={RADIUS}
          fill="none"
          stroke="var(--art-ink)"
          strokeOpacity={0.5 + 0.1 * Math.min(arc.number, 5)}
          strokeWidth="9"
          strokeLinecap="round"
          pathLength={WHOLE}
          strokeDasharray={`${arc.length - GAP} ${WHOLE}`}
          strokeDashoffset={-(arc.from + GAP / 2)}
          transform={`rotate(-90 ${CENTRE} ${CENTRE})`}
        />
      ))}
      {arcs(steps).map((arc) => (
        <text
          key={arc.number}
          {...place(arc)}
          textAnchor="middle"
          dominantBaseline="central"
          fill="var(--art-ink)"
          className="font-display text-lg font-semibold"
        >
          {arc.number}
        </text>
      ))}
    </svg>
  );
}
