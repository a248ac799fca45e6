/** A drawn portrait for a practice that shows no photograph: a person who sits and listens. */

/** A person keeps her colours when the theme changes; only the room around her gets dark. */
const SKIN = '#c98f6b';
const SHADE = '#b0764f';
const HAIR = '#3a2a25';
const LIP = '#8f4a36';
const CLOTH = '#a54a24';
const BLOUSE = '#25574b';
const THREAD = '#e9a85f';

function Room() {
  return (
    <>
      <rect width="480" height="600" fill="var(--hero-sky)" />
      <circle cx="240" cy="262" r="214" fill="var(--art-light)" fillOpacity="0.35" />
      <circle cx="240" cy="262" r="158" fill="var(--hero-sun)" fillOpacity="0.5" />
      <g fill="var(--brand)" fillOpacity="0.35">
        <path d="M-8 600C10 500-2 420 40 330C70 420 64 520 40 600Z" />
        <path d="M488 600C470 520 484 440 448 372C416 450 424 530 442 600Z" />
      </g>
    </>
  );
}

function Face() {
  return (
    <>
      <path d="M212 340V420C212 452 268 452 268 420V340Z" fill={SHADE} />
      <path
        d="M182 276C182 222 206 196 240 196C274 196 298 222 298 276C298 330 272 374 240 374C208 374 182 330 182 276Z"
        fill={SKIN}
      />
      <path
        d="M240 182C202 184 178 220 176 290C190 284 226 246 240 206C254 246 290 284 304 290C302 220 278 184 240 182Z"
        fill={HAIR}
      />
      <g fill="none" stroke={HAIR} strokeLinecap="round">
        <path
          d="M204 293C211 300 223 300 230 294M250 294C257 300 269 300 276 293"
          strokeWidth="3"
        />
        <path
          d="M202 275C209 269 220 268 229 272M251 272C260 268 271 269 278 275"
          strokeWidth="2.6"
        />
      </g>
      <path
        d="M240 290C239 304 236 314 233 320C237 325 243 325 247 321"
        fill="none"
        stroke={SHADE}
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <path
        d="M223 341C231 347 249 347 257 341"
        fill="none"
        stroke={LIP}
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="240" cy="262" r="4.2" fill={LIP} />
    </>
  );
}

function Sari() {
  return (
    <g transform="translate(0 -16)">
      <path
        d="M52 620C56 492 116 446 208 408C218 440 262 440 272 408C364 446 424 492 428 620Z"
        fill={BLOUSE}
      />
      <path
        d="M208 408C150 430 94 462 70 512C58 538 52 570 50 620H178C190 536 216 476 266 432C246 437 216 434 208 408Z"
        fill={CLOTH}
      />
      <g fill="none" stroke={THREAD} strokeWidth="3">
        <path d="M257 440C211 478 184 540 170 620" />
        <path d="M243 447C198 486 170 542 156 620" strokeOpacity="0.45" />
      </g>
    </g>
  );
}

export function FounderArt({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 480 600"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      className={className}
    >
      <Room />
      <circle cx="312" cy="352" r="36" fill={HAIR} />
      <path
        d="M170 296C160 214 190 168 240 168C290 168 320 214 310 296C309 330 300 352 288 366C262 384 218 384 192 366C180 352 171 330 170 296Z"
        fill={HAIR}
      />
      <Face />
      <Sari />
      <g fill="var(--hero-sun)">
        <circle cx="181" cy="318" r="5" />
        <circle cx="299" cy="318" r="5" />
      </g>
    </svg>
  );
}
