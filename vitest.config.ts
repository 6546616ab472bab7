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
    clearMocks: true,
    restoreMocks: true,
    unstubGlobals: true,
    // Dates are formatted in the local time zone, so tests need a fixed one.
    env: { TZ: 'America/New_York' },
  },
});
