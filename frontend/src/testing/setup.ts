import '@testing-library/jest-dom/vitest';

import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';

import { useAlert } from '@/stores/alert';
import { useAuth } from '@/stores/auth';
import { useBillingDetails } from '@/stores/billingDetails';
import { useCart } from '@/stores/cart';
import { useChargebeeStore } from '@/stores/chargebee';
import { useDrafts } from '@/stores/drafts';
import { useLoader } from '@/stores/loader';
import { useModal } from '@/stores/modal';
import { usePaymentSourceDetails } from '@/stores/paymentSourceDetails';
import { useSnackbar } from '@/stores/snackbar';
import { installBrowserApis } from './browserApis';
import { resetPage } from './pageLoads';
import { server } from './server';

installBrowserApis();
// A lazy screen is compiled on first use, which can take seconds on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

function resetStores(): void {
  localStorage.clear();
  sessionStorage.clear();
  useAuth.setState(useAuth.getInitialState(), true);
  useCart.setState(useCart.getInitialState(), true);
  useDrafts.setState(useDrafts.getInitialState(), true);
  useSnackbar.setState(useSnackbar.getInitialState(), true);
  useLoader.setState(useLoader.getInitialState(), true);
  useAlert.setState(useAlert.getInitialState(), true);
  useModal.setState(useModal.getInitialState(), true);
  useChargebeeStore.setState(useChargebeeStore.getInitialState(), true);
  useBillingDetails.setState(useBillingDetails.getInitialState(), true);
  usePaymentSourceDetails.setState(usePaymentSourceDetails.getInitialState(), true);
}

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
// The fixtures' bills and ends are in the weeks after it.
beforeEach(() => vi.setSystemTime('2026-11-20T12:00:00Z'));
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  server.resetHandlers();
  resetStores();
  resetPage();
});
afterAll(() => server.close());
