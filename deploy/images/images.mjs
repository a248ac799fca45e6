/** The images there are: what each is for, what is in it, and how it is started. */

/** The services, by the names that `services` knows them by. */
export const SERVICES = [
  'booking',
  'catalogue',
  'gateway',
  'identity',
  'notifications',
  'payments',
  'reviews',
];

/** Where things lie in an image; the Debian package has them at the same places. */
export const PLACES = {
  programs: '/usr/lib/sukoon',
  pages: '/usr/share/sukoon/web',
  practice: '/usr/share/sukoon/practice',
};

/** The user and the group of every process: numbers, so that `runAsNonRoot` can be judged. */
export const USER = 65532;

/** The most bytes that an image is when it is pulled. */
export const BYTES_MAX = 60_000_000;

/** How the heap of release programs gives memory back; `sukoon up` sets it so too. */
const HEAP =
  '_RJEM_MALLOC_CONF=narenas:1,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0';

const PAGES = { layer: 'pages', setting: `GATEWAY_WEB_DIR=${PLACES.pages}` };
const PRACTICE = { layer: 'practice', setting: `PRACTICE_DIR=${PLACES.practice}` };

/** What each service reads besides its settings. */
function readsOf(service) {
  if (service === 'gateway') return [PAGES];
  return service === 'identity' ? [] : [PRACTICE];
}

function image({ name, about, programs, reads = [], command }) {
  const [program, ...args] = command;
  return {
    name,
    about,
    programs,
    // What changes with a practice lies above what all practices have, so that nodes share that.
    layers: ['base', ...programs, ...reads.map(({ layer }) => layer)],
    settings: [`PATH=${PLACES.programs}`, HEAP, ...reads.map(({ setting }) => setting)],
    command: [`${PLACES.programs}/${program}`, ...args],
  };
}

const ofService = (name) =>
  image({
    name,
    about: `Sukoon's service ${name}; its argument \`migrate\` brings its database up to date`,
    programs: ['services'],
    reads: readsOf(name),
    command: ['services', name],
  });

/** All images. `sukoon` is the one of all, for jobs such as `sukoon check`. */
export const IMAGES = [
  ...SERVICES.map(ofService),
  image({
    name: 'sukoon',
    about: 'All of Sukoon: its services, the checker, and the commands of operators and staff',
    programs: ['services', 'sukoon', 'checker'],
    reads: [PAGES, PRACTICE],
    command: ['sukoon'],
  }),
  image({
    name: 'sandbox',
    about: "Third parties, simulated for development and staging; refuses production's mode",
    programs: ['sandbox'],
    command: ['sandbox'],
  }),
];

/** All programs that are in an image. */
export const PROGRAMS = [...new Set(IMAGES.flatMap(({ programs }) => programs))];
