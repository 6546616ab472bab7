import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { matchPath, Navigate, Route, Routes, useLocation } from 'react-router-dom';
import { accountLayoutFile, Layout } from '@/app/frame/Layout';
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
import { WithheldForm } from './WithheldForm';

type LoadScreenFile = Parameters<typeof screenFileOptions>[1];
type Prefetch = (queryClient: QueryClient) => Promise<void>;

const prefetchAccount: Prefetch = (queryClient) => queryClient.prefetchQuery(accountOptions);
const prefetchPlans: Prefetch = (queryClient) => queryClient.prefetchQuery(managePlansOptions);
const prefetchCancelScreen: Prefetch = (queryClient) =>
  queryClient.prefetchQuery(cancelScreenOptions);
const prefetchInvoices: Prefetch = (queryClient) => queryClient.prefetchQuery(invoicesOptions);
const prefetchPayments: Prefetch = (queryClient) => queryClient.prefetchQuery(paymentsOptions);
const prefetchPaymentFailure: Prefetch = (queryClient) =>
  queryClient.prefetchQuery(paymentFailureOptions);

/**
 * Each screen is a chunk of its own; its first queries are prefetched while the chunk loads. The
 * chunk is named by its path, by which the server finds it and preloads it with the page.
 */
function defineScreen(path: string, load: LoadScreenFile, ...reads: readonly Prefetch[]) {
  return { path, file: screenFileOptions(path, load), reads };
}

const LANDING = defineScreen(
  paths.landing,
  () => import(/* webpackChunkName: '/' */ '@/features/auth/LandingPage'),
);

const SIGNED_IN = [
  defineScreen(
    paths.dashboard,
    () => import(/* webpackChunkName: '/dashboard' */ '@/features/dashboard/DashboardPage'),
    prefetchAccount,
    prefetchPlans,
  ),
  defineScreen(
    paths.manageSubscription,
    () =>
      import(
        /* webpackChunkName: '/manage-subscription' */ '@/features/subscriptions/services/ManageSubscriptionPage'
      ),
    prefetchPlans,
    prefetchPayments,
  ),
  defineScreen(
    paths.upgrade,
    () => import('@/features/subscriptions/period/PeriodChangePage'),
    prefetchPlans,
  ),
  defineScreen(
    paths.downgrade,
    () => import('@/features/subscriptions/period/PeriodChangePage'),
    prefetchPlans,
  ),
  defineScreen(
    paths.summary,
    () => import(/* webpackChunkName: '/summary' */ '@/features/subscriptions/summary/SummaryPage'),
    prefetchPlans,
  ),
  defineScreen(
    paths.coupon,
    () => import(/* webpackChunkName: '/coupon' */ '@/features/coupon/CouponPage'),
  ),
  defineScreen(
    paths.pauseOffer,
    () => import(/* webpackChunkName: '/pause-offer' */ '@/features/pause/PauseOfferPage'),
    prefetchPlans,
  ),
  defineScreen(
    paths.pauseSummary,
    () => import(/* webpackChunkName: '/pause-summary' */ '@/features/pause/PauseSummaryPage'),
    prefetchPlans,
  ),
  defineScreen(
    paths.cancelAll,
    () => import(/* webpackChunkName: '/cancelAll' */ '@/features/cancel/CancelPage'),
    prefetchPlans,
    prefetchCancelScreen,
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
    prefetchInvoices,
  ),
  defineScreen(
    paths.paymentMethods,
    () =>
      import(
        /* webpackChunkName: '/manage-payment-method' */ '@/features/payment-methods/list/PaymentMethodsPage'
      ),
    prefetchPayments,
  ),
  defineScreen(
    paths.addPaymentMethod,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method' */ '@/features/payment-methods/add/AddPaymentMethodPage'
      ),
    prefetchPayments,
  ),
  defineScreen(
    paths.addCard,
    () => import('@/features/payment-methods/card/CardPage'),
    prefetchPayments,
  ),
  defineScreen(
    paths.updateCard,
    () => import('@/features/payment-methods/card/CardPage'),
    prefetchPayments,
  ),
  defineScreen(
    paths.payPal,
    () =>
      import(
        /* webpackChunkName: '/add-paypal-payment-method' */ '@/features/payment-methods/paypal/PayPalPage'
      ),
    prefetchPayments,
  ),
  defineScreen(
    paths.paymentMethodAdded,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method-success' */ '@/features/payment-methods/add/PaymentMethodAddedPage'
      ),
    prefetchPayments,
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
  if (signedIn) {
    void queryClient.prefetchQuery(accountLayoutFile);
    void prefetchPaymentFailure(queryClient);
  }
  for (const { path, file, reads } of signedIn ? [LANDING, ...SIGNED_IN] : [LANDING]) {
    if (!matchPath(path, pathname) || (isView && isPaymentForm(path))) continue;
    void queryClient.prefetchQuery(file);
    for (const prefetch of reads) void prefetch(queryClient);
  }
}

const LandingPage = lazyScreen(LANDING.file);

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
