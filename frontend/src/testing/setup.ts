import '@testing-library/jest-dom/vitest';

import { cleanup } from '@testing-library/react';
import { afterAll, afterEach, beforeAll } from 'vitest';

import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useLoader } from '@/stores/loader';
import { useModal } from '@/stores/modal';
import { useSnackbar } from '@/stores/snackbar';
import { installPlatform } from '@/testing/platform';
import { server } from '@/testing/server';

installPlatform();

const stores = [useAuth, useSnackbar, useLoader, useAlert, useModal];

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
  localStorage.clear();
  for (const store of stores) store.setState(store.getInitialState() as never, true);
});
afterAll(() => server.close());
