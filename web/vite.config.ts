/** Builds the browser's files, and with --ssr the program that renders the pages to HTML. */
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const GATEWAY = `http://127.0.0.1:${process.env.PORT ?? '8080'}`;

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

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwindcss(), developmentDocument()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
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
    : { outDir: 'dist', manifest: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  ssr: { noExternal: true },
  define: isSsrBuild ? { 'process.env.NODE_ENV': '"production"' } : {},
}));
