/** Builds the browser's files, and with --ssr the program that renders the pages to HTML. */
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { type ConfigEnv, defineConfig, type Plugin, type UserConfig } from 'vite';

const GATEWAY = `http://127.0.0.1:${process.env.PORT ?? '8080'}`;

function source(path: string): string {
  return fileURLToPath(new URL(`./src/${path}`, import.meta.url)).replace(/\/$/, '');
}

/** In development each document is put together as the prerender does it, without the page's HTML. */
function developmentDocument(): Plugin {
  return {
    name: 'development-document',
    apply: 'serve',
    transformIndexHtml: {
      order: 'pre',
      async handler(html, { server }) {
        if (!server) return html;
        const module = await server.ssrLoadModule('/src/prerender/development.ts');
        return module.developmentDocument(html) as string;
      },
    },
  };
}

/** In development the practice's videos and pictures are served from where the practice keeps them. */
function developmentMedia(): Plugin {
  const folder = process.env.PRACTICE_DIR || '../deploy/local/practice';
  return {
    name: 'development-media',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        if (!request.url?.startsWith('/media/')) return next();
        const module = await server.ssrLoadModule('/src/prerender/media-files.ts');
        if (!module.serveMedia(folder, request, response)) next();
      });
    },
  };
}

/** Files of ours, or of TanStack Query, by their names. */
function filesNamed(names: readonly string[]): RegExp {
  return new RegExp(`/(?:web/src|@tanstack)/.*/(?:${names.join('|')})\\.`);
}

const ROUTER = fileURLToPath(
  new URL('./node_modules/react-router/dist/production/index.mjs', import.meta.url),
);

/** Small pieces that pages with forms, or with reads, need together: fewer files, fewer bytes. */
const FORM = filesNamed([
  ...['text-field', 'text-area', 'select-field', 'radio-group', 'error-summary', 'checkbox'],
  ...['honeypot', 'use-fields', 'use-draft-fields', 'form-draft', 'idempotency-key', 'random-key'],
  ...['on-first-interaction', 'field', 'contact-fields'],
]);
const READ = filesNamed([
  ...['errors', 'error-detail', 'codes', 'error-notice'],
  ...['useQuery', 'useBaseQuery', 'queryObserver', 'errorBoundaryUtils', 'suspense'],
  ...['QueryErrorResetBoundary', 'IsRestoringProvider'],
]);
/** Words and stars of reviews, and the code that reads and shows them after hydration. */
const REVIEW_WORDS = filesNamed(['rating', 'book-call', 'review-messages', 'stars']);
const REVIEW_CARDS = filesNamed([
  ...['use-review-list', 'use-refetch-at-focus', 'reads', 'relative-date'],
  ...['get_review_read', 'list_reviews_read'],
  ...['review-card', 'review-badges', 'review-picture', 'writer', 'cut-text'],
  ...['useInfiniteQuery', 'infiniteQueryObserver'],
]);

/** Code that every file needs, and that stays when the site changes: browsers keep it. */
const CORE =
  /node_modules\/(?:react|react-dom|react-router|scheduler)\/|preload-helper|src\/lib\/(?:idle|classes|clock|use-server-now|import-with-retry)\./;
/** Small pieces that most pages need some of: fewer files for the price of a kilobyte. */
const PIECES = filesNamed([
  ...['card', 'badge', 'dialog', 'money', 'time', 'instant', 'use-go', 'use-page-title'],
]);
/** By their whole names: the booking has a `use-late` of its own, which no other page needs. */
const LATE = /src\/(?:components\/(?:lazy-section|ui\/alert)|lib\/use-lazy-module)\./;
/** What refreshes the practice's words when a page is idle, on every page: one file, not three. */
const REFRESH = filesNamed([
  ...['catalogue-calls', 'connect-get', 'reference'],
  ...['get_practice_read', 'list_services_read', 'list_quiz_areas_read', 'list_faqs_read'],
]);
/** What the pages of an account share, and the proof of an address in the booking. */
const ACCOUNT = filesNamed([
  ...['account-frame', 'code-form', 'use-confirmed', 'pending-email', 'use-return', 'use-spacing'],
]);
const ART = filesNamed(['service-art', 'motifs', 'random']);

/** Messages, and the client that sends them: a page that needs one of these files needs the others. */
const RPC = new RegExp(
  [
    '@bufbuild/protobuf/dist/esm/(?:is-message|descriptors|create|registry|proto-int64|from-bin)',
    '@bufbuild/protobuf/dist/esm/(?:wire|codegenv2)/',
    '@bufbuild/protobuf/dist/esm/reflect/(?:scalar|unsafe|guard|message|names|nested-types)\\.',
    '@bufbuild/protobuf/dist/esm/wkt/(?:wrappers|timestamp)\\.',
    '@bufbuild/protobuf/dist/esm/wkt/google/protobuf/(?:descriptor|timestamp)_pb\\.',
    '@connectrpc/connect/dist/esm/(?:any-client|promise-client|protocol/async-iterable)\\.',
    '@connectrpc/connect/dist/esm/(?:connect-error|code|protocol-connect/code-string)\\.',
    'src/gen/common/v1/(?:money|cancellation|parked_event)_pb\\.',
  ].join('|'),
);
/** What reads and writes messages; each page that calls something needs it in the end. */
const RPC_JSON = new RegExp(
  [
    '@bufbuild/protobuf/dist/esm/(?:from-json|to-binary|extensions)\\.',
    '@bufbuild/protobuf/dist/esm/reflect/(?:reflect|reflect-check|error)\\.',
    '@bufbuild/protobuf/dist/esm/wkt/(?:any|json|google/protobuf/(?:any|struct)_pb)\\.',
  ].join('|'),
);
/** Comes with auth-js for each signed-in person. */
const SESSION = /src\/lib\/(?:service-fetch|work|end-session|cookie-fetch)\./;
/** What the booking flow and the steps of /book have in common. */
const BOOKING_NAMES = [
  ...['free-session', 'booking-rows', 'booking-summary', 'ended-panel', 'mail-messages', 'steps'],
  ...['hold-clock', 'hold-timer', 'held-booking', 'draft'],
  ...['checkout-window', 'late-booking', 'late-notice', 'use-late', 'contact-rules'],
  ...['request-idempotency-key', 'use-request-booking', 'use-draft', 'slots-key', 'refused-times'],
  ...['payment-support'],
  ...['use-mail-toast', 'booking-state', 'follow-booking', 'use-booking', 'flow-url'],
];
const BOOKING = new RegExp(
  [
    `/features/(?:booking|payments)/(?:.*/)?(?:${BOOKING_NAMES.join('|')})\\.`,
    '/(?:features/booking/shared/hooks/use-step-focus|components/ui/stepper|lib/save-file)\\.',
    '/gen/payments/v1/payments_service_pb\\.',
  ].join('|'),
);

/** A booking's messages and what sends commands, for the desk as well, which has no flow. */
const BOOKING_MESSAGES =
  /\/gen\/booking\/v1\/booking_service_pb\.|@tanstack\/.*\/(?:mutationObserver|useMutation)\./;

/** Files of the desk by their names. */
function deskFiles(names: readonly string[]): RegExp {
  return new RegExp(`/features/desk/(?:.*/)?(?:${names.join('|')})\\.`);
}

/** What members' pages are told of bookings. */
const BOOKING_STAFF = /\/gen\/(?:booking\/v1\/booking_staff_service|common\/v1\/history)_pb\./;
/** The number of tasks, which comes a while after the desk's first screen, and what its calls need. */
const DESK_TASKS = new RegExp(
  [
    deskFiles(['use-tasks', 'tasks', 'task-badge', 'use-staff-services', 'model/open-refunds'])
      .source,
    '/gen/(?:payments|notifications)/v1/[a-z_]*(?:staff_service|events)_pb\\.',
    '@tanstack/.*/(?:useQueries|queriesObserver)\\.',
  ].join('|'),
);
/** The keys of a wide screen. */
const DESK_KEYS = deskFiles(['keys-choice', 'use-shortcuts', 'shortcuts', 'shortcuts-dialog']);
/** Where a session's sheet leads, and what is read of one booking. */
const DESK_DIALOGS = deskFiles([
  ...['act-dialogs', 'cancel-dialog', 'use-cancelling', 'cancel-words', 'refund-dialog', 'rupees'],
  ...['desk-payment-dialog', 'desk-way-fields', 'open-refunds', 'open-refund-dialogs'],
  ...['use-open-refunds', 'use-one-booking', 'mail-words', 'rupee-field', 'refund-reason'],
  ...['refund-requests', 'use-refund-requests', 'refund-request-dialog'],
]);
/** The choice among free times, which a day does without until one is chosen. */
const DESK_TIMES = deskFiles(['time-choice', 'use-slots', 'use-from-date']);
/** What several screens of the desk share. */
const DESK = /\/features\/desk\//;

const PARCELS = {
  includeDependenciesRecursively: false,
  groups: [
    { name: 'core', test: CORE },
    // All that the entry imports: it is on every page, so in files of its own it would only be dearer.
    { name: 'base', tags: ['$initial' as const] },
    { name: 'pieces', test: PIECES },
    { name: 'late', test: LATE },
    { name: 'refresh', test: REFRESH },
    { name: 'art', test: ART },
    { name: 'account', test: ACCOUNT },
    { name: 'rpc', test: RPC },
    { name: 'rpc-json', test: RPC_JSON },
    { name: 'session', test: SESSION },
    { name: 'booking-messages', test: BOOKING_MESSAGES },
    { name: 'booking-staff', test: BOOKING_STAFF },
    { name: 'desk-tasks', test: DESK_TASKS },
    { name: 'desk-keys', test: DESK_KEYS },
    { name: 'desk-dialogs', test: DESK_DIALOGS },
    { name: 'desk-times', test: DESK_TIMES },
    { name: 'desk-shared', test: DESK, minShareCount: 2 },
    { name: 'booking', test: BOOKING },
    { name: 'form', test: FORM },
    { name: 'read', test: READ },
    { name: 'review-words', test: REVIEW_WORDS },
    { name: 'review-cards', test: REVIEW_CARDS },
  ],
};

/**
 * Every page lists the names of all files of code, so each is a hash with as few letters as the
 * bundler allows. `dist-server/built-files.json` says which file is which.
 */
const NAMES = {
  entryFileNames: 'assets/[hash:7].js',
  chunkFileNames: 'assets/[hash:7].js',
  assetFileNames: 'assets/[name]-[hash:7][extname]',
};

/**
 * The widget on other sites is built by itself (`--mode widget`), so that it shares no file with the
 * pages, and so is the script for these sites (`--mode embed`), one classic script.
 */
const WIDGET_MODES = ['widget', 'embed'];

function widgetConfig(mode: string): UserConfig {
  const script = mode === 'embed';
  const input = script ? 'src/widget/embed.ts' : 'src/widget/frame.ts';
  return {
    resolve: { alias: [{ find: '@', replacement: source('') }] },
    build: {
      outDir: 'dist-server/widget',
      emptyOutDir: !script,
      copyPublicDir: false,
      manifest: script ? false : 'manifest.json',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input,
        output: script ? { format: 'iife', entryFileNames: 'embed.js' } : NAMES,
      },
    },
  };
}

function siteConfig({ command, isSsrBuild }: ConfigEnv): UserConfig {
  return {
    plugins: [react(), tailwindcss(), developmentDocument(), developmentMedia()],
    resolve: {
      alias: [
        { find: '@', replacement: source('') },
        // What react-router exports for browsers is its development build.
        ...(command === 'build' ? [{ find: /^react-router$/, replacement: ROUTER }] : []),
        // connect-query's own file loads the protobuf runtime into every page.
        { find: /^\.\/use-transport\.js$/, replacement: source('lib/connect-query-transport.tsx') },
      ],
    },
    server: {
      proxy: { '/rpc': GATEWAY, '/auth/v1': GATEWAY, '/uploads': GATEWAY, '/pictures': GATEWAY },
    },
    build: isSsrBuild
      ? {
          ssr: true,
          outDir: 'dist-server',
          copyPublicDir: false,
          rolldownOptions: { input: { prerender: 'src/prerender/main.ts' } },
        }
      : {
          outDir: 'dist',
          manifest: true,
          assetsInlineLimit: 0,
          modulePreload: { polyfill: false },
          rolldownOptions: { output: { codeSplitting: PARCELS, ...NAMES } },
        },
    // The prerender is one file, but for what draws and writes the cards: that brings files along.
    ssr: { noExternal: true, external: ['fontkit', 'wawoff2', '@resvg/resvg-wasm'] },
    define: isSsrBuild ? { 'process.env.NODE_ENV': '"production"' } : {},
  };
}

export default defineConfig((environment) =>
  WIDGET_MODES.includes(environment.mode)
    ? widgetConfig(environment.mode)
    : siteConfig(environment),
);
