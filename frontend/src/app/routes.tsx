import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { matchPath, Navigate, Route, Routes, useLocation } from 'react-router-dom';

import {
  accountOptions,
  invoicesOptions,
  managePlansOptions,
  paymentFailureOptions,
  paymentsOptions,
} from '@/lib/api/queries';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { accountLayout, Layout } from './Layout';
import { SignedInOnly } from './SignedInOnly';
import { lazyScreen, screenOptions } from './screens';

type Load = Parameters<typeof screenOptions>[1];
type Read = (queryClient: QueryClient) => Promise<void>;

const account: Read = (queryClient) => queryClient.prefetchQuery(accountOptions);
const plans: Read = (queryClient) => queryClient.prefetchQuery(managePlansOptions);
const invoices: Read = (queryClient) => queryClient.prefetchQuery(invoicesOptions);
const payments: Read = (queryClient) => queryClient.prefetchQuery(paymentsOptions);
const paymentFailure: Read = (queryClient) => queryClient.prefetchQuery(paymentFailureOptions);

/**
 * A screen is in a file of its own; what it shows first is read while that is on its way. The file bears the path as its
 * name, by which the server finds it and sends it with the page.
 */
function aScreen(path: string, load: Load, ...reads: readonly Read[]) {
  return { path, file: screenOptions(path, load), reads };
}

const LANDING = aScreen(
  paths.landing,
  () => import(/* webpackChunkName: '/' */ '@/features/auth/LandingPage'),
);

const SIGNED_IN = [
  aScreen(
    paths.dashboard,
    () => import(/* webpackChunkName: '/dashboard' */ '@/features/dashboard/DashboardPage'),
    account,
    plans,
  ),
  aScreen(
    paths.manageSubscription,
    () =>
      import(
        /* webpackChunkName: '/manage-subscription' */ '@/features/subscriptions/ManageSubscriptionPage'
      ),
    plans,
  ),
  aScreen(paths.upgrade, () => import('@/features/subscriptions/PlanChangePage'), plans),
  aScreen(paths.downgrade, () => import('@/features/subscriptions/PlanChangePage'), plans),
  aScreen(
    paths.summary,
    () => import(/* webpackChunkName: '/summary' */ '@/features/subscriptions/SummaryPage'),
    plans,
  ),
  aScreen(
    paths.coupon,
    () => import(/* webpackChunkName: '/coupon' */ '@/features/coupon/CouponPage'),
  ),
  aScreen(
    paths.pauseOffer,
    () => import(/* webpackChunkName: '/pause-offer' */ '@/features/pause/PauseOfferPage'),
    plans,
  ),
  aScreen(
    paths.pauseSummary,
    () => import(/* webpackChunkName: '/pause-summary' */ '@/features/pause/PauseSummaryPage'),
    plans,
  ),
  aScreen(
    paths.cancelAll,
    () => import(/* webpackChunkName: '/cancelAll' */ '@/features/cancel/CancelPage'),
    plans,
  ),
  aScreen(
    paths.editProfile,
    () => import(/* webpackChunkName: '/edit-profile' */ '@/features/profile/ProfilePage'),
  ),
  aScreen(
    paths.emailPreferences,
    () =>
      import(
        /* webpackChunkName: '/emailPreferences' */ '@/features/preferences/EmailPreferencesPage'
      ),
  ),
  aScreen(
    paths.emailConfirm,
    () => import(/* webpackChunkName: '/emailConfirm' */ '@/features/preferences/EmailConfirmPage'),
  ),
  aScreen(
    paths.billingHistory,
    () =>
      import(
        /* webpackChunkName: '/billingHistory' */ '@/features/billing-history/BillingHistoryPage'
      ),
    invoices,
  ),
  aScreen(
    paths.paymentMethods,
    () =>
      import(
        /* webpackChunkName: '/manage-payment-method' */ '@/features/payment-methods/PaymentMethodsPage'
      ),
    payments,
  ),
  aScreen(
    paths.addPaymentMethod,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method' */ '@/features/payment-methods/AddPaymentMethodPage'
      ),
    payments,
  ),
  aScreen(paths.addCard, () => import('@/features/payment-methods/CardPage'), payments),
  aScreen(paths.updateCard, () => import('@/features/payment-methods/CardPage'), payments),
  aScreen(
    paths.payPal,
    () =>
      import(
        /* webpackChunkName: '/add-paypal-payment-method' */ '@/features/payment-methods/PayPalPage'
      ),
    payments,
  ),
  aScreen(
    paths.paymentMethodAdded,
    () =>
      import(
        /* webpackChunkName: '/add-payment-method-success' */ '@/features/payment-methods/SuccessPage'
      ),
    payments,
  ),
];

/** Fetches, beside what the frame waits for, the file of the screen at an address and what it shows first. */
export function prefetchScreen(queryClient: QueryClient, pathname: string): void {
  const signedIn = useAuth.getState().token !== null;
  if (signedIn) {
    void queryClient.prefetchQuery(accountLayout);
    void paymentFailure(queryClient);
  }
  for (const { path, file, reads } of signedIn ? [LANDING, ...SIGNED_IN] : [LANDING]) {
    if (!matchPath(path, pathname)) continue;
    void queryClient.prefetchQuery(file);
    for (const read of reads) void read(queryClient);
  }
}

const LandingPage = lazyScreen(LANDING.file);

const SIGNED_IN_SCREENS = SIGNED_IN.map(({ path, file }) => ({ path, Screen: lazyScreen(file) }));

/** The route table. What it does not know falls back to the landing page. */
export function AppRoutes() {
  const queryClient = useQueryClient();
  const { pathname } = useLocation();
  useEffect(() => prefetchScreen(queryClient, pathname), [queryClient, pathname]);
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route path={paths.landing} element={<LandingPage />} />
        <Route element={<SignedInOnly />}>
          {SIGNED_IN_SCREENS.map(({ path, Screen }) => (
            <Route key={path} path={path} element={<Screen key={path} />} />
          ))}
        </Route>
        <Route path="*" element={<Navigate to={paths.landing} replace />} />
      </Route>
    </Routes>
  );
}
