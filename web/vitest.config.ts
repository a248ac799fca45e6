/** Unit tests are beside the code and run in a simulated browser. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    // A process loads React, the other libraries and the window once; set-up.ts parts the files.
    isolate: false,
    setupFiles: ['src/testing/set-up.ts'],
    restoreMocks: true,
    // No test is judged by how busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
