import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { '@': fileURLToPath(new URL('./frontend/src', import.meta.url)) },
  },
  test: {
    environment: 'jsdom',
    include: ['frontend/src/**/*.test.{ts,tsx}'],
    setupFiles: ['frontend/src/testing/setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    testTimeout: 20_000,
    // The files of a worker share their modules and window, which is several times as fast; the
    // setup file resets what a page keeps.
    isolate: false,
    clearMocks: true,
    restoreMocks: true,
    unstubGlobals: true,
    // Dates are formatted in the local time zone, so tests need a fixed one.
    env: { TZ: 'America/New_York' },
  },
});
