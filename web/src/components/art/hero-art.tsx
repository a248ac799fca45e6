import { classes } from '@/lib/classes';

/** All layers lie on each other and are cut in the same way. */
const LAYER = {
  viewBox: '0 0 480 600',
  preserveAspectRatio: 'xMidYMax slice',
} as const;
const WHOLE = 'absolute inset-0 size-full';

function Sky() {
  return (
    <svg {...LAYER} aria-hidden="true" className={WHOLE}>
      <rect width="480" height="600" fill="var(--hero-sky)" />
      <g fill="var(--art-light)">
        <circle cx="240" cy="270" r="250" fillOpacity="0.16" />
        <circle cx="240" cy="270" r="196" fillOpacity="0.22" />
      </g>
    </svg>
  );
}

/**
 * A separate picture: a change inside of a picture paints it again sixty times a second, but a
 * picture that moves as a whole is painted once.
 */
function Ring() {
  return (
    <svg {...LAYER} aria-hidden="true" className={classes(WHOLE, 'animate-breathe-ring')}>
      <circle cx="240" cy="270" r="140" fill="var(--art-light)" fillOpacity="0.4" />
      <circle cx="240" cy="270" r="140" fill="none" stroke="var(--clay)" strokeOpacity="0.35" />
      <circle cx="240" cy="270" r="112" fill="none" stroke="var(--clay)" strokeOpacity="0.22" />
    </svg>
  );
}

function Lake() {
  return (
    <svg {...LAYER} aria-hidden="true" className={WHOLE}>
      <circle cx="240" cy="270" r="74" fill="var(--hero-sun)" />
      <path
        d="M0 318C70 280 120 276 176 300S290 338 346 306S440 276 480 292V420H0Z"
        fill="var(--brand)"
        fillOpacity="0.22"
      />
      <path
        d="M0 352C80 322 150 330 214 352S350 380 410 350S460 332 480 334V440H0Z"
        fill="var(--brand)"
        fillOpacity="0.42"
      />
      <rect y="384" width="480" height="216" fill="var(--hero-lake)" />
      <g stroke="var(--hero-sun)" strokeLinecap="round" strokeWidth="5" fill="none">
        <path d="M176 404H304" strokeOpacity="0.75" />
        <path d="M192 424H288" strokeOpacity="0.6" />
        <path d="M160 446H262M284 446H312" strokeOpacity="0.48" />
        <path d="M204 470H300" strokeOpacity="0.36" />
        <path d="M184 496H246M264 496H282" strokeOpacity="0.26" />
        <path d="M214 524H272" strokeOpacity="0.18" />
      </g>
      <g fill="var(--hero-leaf)">
        <path d="M-6 600C20 520 14 452 44 384C60 444 58 530 34 600Z" />
        <path d="M40 600C56 540 84 500 124 470C118 520 98 566 72 600Z" fillOpacity="0.85" />
        <path d="M-20 600C-12 552 -8 520 6 482C22 524 24 566 16 600Z" fillOpacity="0.7" />
        <path d="M486 600C462 530 470 470 446 412C426 466 424 540 446 600Z" />
        <path d="M440 600C426 552 402 520 368 498C374 540 390 574 412 600Z" fillOpacity="0.85" />
      </g>
    </svg>
  );
}

/** The picture of the welcome page: a lake at first light, and one ring that breathes. */
export function HeroArt({ className }: { className?: string }) {
  return (
    <div className={classes('relative overflow-hidden', className)}>
      <Sky />
      <Ring />
      <Lake />
    </div>
  );
}
