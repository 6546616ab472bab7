import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { matchPath, Navigate, Route, Routes, useLocation } from 'react-router-dom';
import { accountLayoutFile, Layout } from '@/app/frame/Layout';
import { type FirstRead, listFirstReads } from '@/lib/api/firstReads';
import {
  accountOptions,
  cancelScreenOptions,
  invoicesOptions,
  managePlansOptions,
  paymentFailureOptions,
  paymentsOptions,
} from '@/lib/api/queries';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { lazyScreen, screenFileOptions } from './lazyScreen';
import { SignedInOnly } from './SignedInOnly';

type LoadScreenFile = Parameters<typeof screenFileOptions>[1];
type Prefetch = (queryClient: QueryClient) => Promise<void>;

const PREFETCHES: Record<FirstRead, Prefetch> = {
  '/api/account': (queryClient) => queryClient.prefetchQuery(accountOptions),
  '/api/account/cancel-screen': (queryClient) => queryClient.prefetchQuery(cancelScreenOptions),
  '/api/account/check-payment-failure': (queryClient) =>
    queryClient.prefetchQuery(paymentFailureOptions),
  '/api/account/manage-plans': (queryClient) => queryClient.prefetchQuery(managePlansOptions),
  '/api/invoice/list': (queryClient) => queryClient.prefetchQuery(invoicesOptions),
  '/api/payments/': (queryClient) => queryClient.prefetchQuery(paymentsOptions),
};

/**
 * Each screen is a chunk of its own, named by its path, by which the server finds it and preloads
 * it with the page.
 */
function defineScreen(path: string, load: LoadScreenFile) {
  return { path, file: screenFileOptions(path, load) };
}

const LANDING = defineScreen(
  paths.landing,
  () => import(/* webpackChunkName: '/' */ '@/features/auth/LandingPage'),
);

const SIGNED_IN = [
  defineScreen(
    paths.dashboard,
    () => import(/* webpackChunkName: '/dashboard' */ '@/features/dashboard/DashboardPage'),
  ),
  defineScreen(
    paths.manageSubscription,
    () =>
      import(
        /* webpackChunkName: '/manage-subscription' */ '@/features/subscriptions/services/ManageSubscriptionPage'
      ),
  ),
  defineScreen(paths.upgrade, () => import('@/features/subscriptions/period/PeriodChangePage')),
  defineScreen(paths.downgrade, () => import('@/features/subscriptions/period/PeriodChangePage')),
  defineScreen(
    paths.summary,
    () => import(/* webpackChunkName: '/summary' */ '@/features/subscriptions/summary/SummaryPage'),
  ),
  defineScreen(
    paths.coupon,
    () => import(/* webpackChunkName: '/coupon' */ '@/features/coupon/CouponPage'),
  ),
  defineScreen(
    paths.pauseOffer,
    () => import(/* webpackChunkName: '/pause-offer' */ '@/features/pause/PauseOfferPage'),
  ),
  defineScreen(
    paths.pauseSummary,
    () => import(/* webpackChunkName: '/pause-summary' */ '@/features/pause/PauseSummaryPage'),
  ),
  defineScreen(
    paths.cancelAll,
    () => import(/* webpackChunkName: '/cancelAll' */ '@/features/cancel/CancelPage'),
  ),
  defineScreen(
    paths.editProfile,
    () => import(/* webpackChunkName: '/edit-profile' */ '@/features/profile/ProfilePage'),
  ),
  defineScreen(
    paths.emailPreferences,
    () =>
      import(
        /* webpackChunkName: '/emailPreferences' */ '@/features/preferences/EmailPreferencesPage'
      ),
  ),
  defineScreen(
    paths.emailConfirm,
    () => import(/* webpackChunkName: '/emailConfirm' */ '@/features/preferences/EmailConfirmPage'),
  ),
  defineScreen(
    paths.billingHistory,
    () =>
      import(
        /* webpackChunkName: '/billingHistory' */ '@/features/billing-history/BillingHistoryPage'
      ),
  ),
  defineScreen(
    paths.paymentMethods,
    () =>
      import(
        /* webpackChunkName: '/manage-payment-method' */ '@/features/payment-methods/list/PaymentMethodsPage'
      ),
  ),
  defineScreen(
    paths.addPaymentMethod,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method' */ '@/features/payment-methods/add/AddPaymentMethodPage'
      ),
  ),
  defineScreen(paths.addCard, () => import('@/features/payment-methods/card/CardPage')),
  defineScreen(paths.updateCard, () => import('@/features/payment-methods/card/CardPage')),
  defineScreen(
    paths.payPal,
    () =>
      import(
        /* webpackChunkName: '/add-paypal-payment-method' */ '@/features/payment-methods/paypal/PayPalPage'
      ),
  ),
  defineScreen(
    paths.paymentMethodAdded,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method-success' */ '@/features/payment-methods/add/PaymentMethodAddedPage'
      ),
  ),
];

/** Whether the screen at a path loads the provider's script, which a view does not. */
function isPaymentForm(path: string): boolean {
  return [paths.addCard, paths.updateCard, paths.payPal].some((form) => form === path);
}

/** Prefetches the chunk of the screen at a path, its first queries, and what the frame needs. */
export function prefetchScreen(queryClient: QueryClient, pathname: string): void {
  const { token, isView } = useAuth.getState();
  const signedIn = token !== null;
  if (signedIn) void queryClient.prefetchQuery(accountLayoutFile);
  const screen = (signedIn ? [LANDING, ...SIGNED_IN] : [LANDING]).find(
    ({ path }) => matchPath(path, pathname) && !(isView && isPaymentForm(path)),
  );
  if (screen) void queryClient.prefetchQuery(screen.file);
  for (const read of signedIn ? listFirstReads(screen?.path) : [])
    void PREFETCHES[read](queryClient);
}

const LandingPage = lazyScreen(LANDING.file);

const WithheldForm = lazyScreen(screenFileOptions('withheld form', () => import('./WithheldForm')));

const SIGNED_IN_SCREENS = SIGNED_IN.map(({ path, file }) => ({ path, Screen: lazyScreen(file) }));

/** The route table. Unknown paths redirect to the landing page. */
export function AppRoutes() {
  const isView = useAuth((state) => state.isView);
  const queryClient = useQueryClient();
  const { pathname } = useLocation();
  useEffect(() => prefetchScreen(queryClient, pathname), [queryClient, pathname]);
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route path={paths.landing} element={<LandingPage />} />
        <Route element={<SignedInOnly />}>
          {SIGNED_IN_SCREENS.map(({ path, Screen }) => (
            <Route
              key={path}
              path={path}
              element={isView && isPaymentForm(path) ? <WithheldForm /> : <Screen key={path} />}
            />
          ))}
        </Route>
        <Route path="*" element={<Navigate to={paths.landing} replace />} />
      </Route>
    </Routes>
  );
}
