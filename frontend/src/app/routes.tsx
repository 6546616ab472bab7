import type { ComponentType } from 'react';
import { matchPath, Navigate, Route, Routes } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { Layout } from './Layout';
import { SignedInOnly } from './SignedInOnly';
import { lazyScreen } from './screens';

interface Screen {
  path: string;
  load: () => Promise<{ default: ComponentType }>;
}

/** Every screen is in a file of its own. */
const LANDING: Screen = { path: paths.landing, load: () => import('@/features/auth/LandingPage') };

const SIGNED_IN: readonly Screen[] = [
  { path: paths.dashboard, load: () => import('@/features/dashboard/DashboardPage') },
  {
    path: paths.manageSubscription,
    load: () => import('@/features/subscriptions/ManageSubscriptionPage'),
  },
  { path: paths.upgrade, load: () => import('@/features/subscriptions/PlanChangePage') },
  { path: paths.downgrade, load: () => import('@/features/subscriptions/PlanChangePage') },
  { path: paths.summary, load: () => import('@/features/subscriptions/SummaryPage') },
  { path: paths.coupon, load: () => import('@/features/coupon/CouponPage') },
  { path: paths.pauseOffer, load: () => import('@/features/pause/PauseOfferPage') },
  { path: paths.pauseSummary, load: () => import('@/features/pause/PauseSummaryPage') },
  { path: paths.cancelAll, load: () => import('@/features/cancel/CancelPage') },
  { path: paths.editProfile, load: () => import('@/features/profile/ProfilePage') },
  {
    path: paths.emailPreferences,
    load: () => import('@/features/preferences/EmailPreferencesPage'),
  },
  { path: paths.emailConfirm, load: () => import('@/features/preferences/EmailConfirmPage') },
  {
    path: paths.billingHistory,
    load: () => import('@/features/billing-history/BillingHistoryPage'),
  },
  {
    path: paths.paymentMethods,
    load: () => import('@/features/payment-methods/PaymentMethodsPage'),
  },
  {
    path: paths.addPaymentMethod,
    load: () => import('@/features/payment-methods/AddPaymentMethodPage'),
  },
  { path: paths.addCard, load: () => import('@/features/payment-methods/CardPage') },
  { path: paths.updateCard, load: () => import('@/features/payment-methods/CardPage') },
  { path: paths.payPal, load: () => import('@/features/payment-methods/PayPalPage') },
  { path: paths.paymentMethodAdded, load: () => import('@/features/payment-methods/SuccessPage') },
];

// The one that the address asks for is fetched beside what the frame waits for, not only when it is drawn. What fails now
// is fetched again then.
for (const { path, load } of [LANDING, ...SIGNED_IN]) {
  if (matchPath(path, window.location.pathname)) load().catch(() => undefined);
}

const LandingPage = lazyScreen(LANDING.load);

const SIGNED_IN_SCREENS = SIGNED_IN.map(({ path, load }) => ({ path, Screen: lazyScreen(load) }));

/** The route table. What it does not know falls back to the landing page. */
export function AppRoutes() {
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
