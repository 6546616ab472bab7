import { type ComponentType, lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { LoaderOverlay } from '@/ui/LoaderOverlay';
import { Layout } from './Layout';
import { SignedInOnly } from './SignedInOnly';

const LandingPage = lazy(() => import('@/features/auth/LandingPage'));

const PlanChangePage = lazy(() => import('@/features/subscriptions/PlanChangePage'));

const CardPage = lazy(() => import('@/features/payment-methods/CardPage'));

/** The screens behind the guard, each in a file of its own that is fetched when first needed. */
const SIGNED_IN_SCREENS: readonly { path: string; Screen: ComponentType }[] = [
  { path: paths.dashboard, Screen: lazy(() => import('@/features/dashboard/DashboardPage')) },
  {
    path: paths.manageSubscription,
    Screen: lazy(() => import('@/features/subscriptions/ManageSubscriptionPage')),
  },
  { path: paths.upgrade, Screen: PlanChangePage },
  { path: paths.downgrade, Screen: PlanChangePage },
  { path: paths.summary, Screen: lazy(() => import('@/features/subscriptions/SummaryPage')) },
  { path: paths.coupon, Screen: lazy(() => import('@/features/coupon/CouponPage')) },
  { path: paths.pauseOffer, Screen: lazy(() => import('@/features/pause/PauseOfferPage')) },
  { path: paths.pauseSummary, Screen: lazy(() => import('@/features/pause/PauseSummaryPage')) },
  { path: paths.cancelAll, Screen: lazy(() => import('@/features/cancel/CancelPage')) },
  { path: paths.editProfile, Screen: lazy(() => import('@/features/profile/ProfilePage')) },
  {
    path: paths.emailPreferences,
    Screen: lazy(() => import('@/features/preferences/EmailPreferencesPage')),
  },
  {
    path: paths.emailConfirm,
    Screen: lazy(() => import('@/features/preferences/EmailConfirmPage')),
  },
  {
    path: paths.billingHistory,
    Screen: lazy(() => import('@/features/billing-history/BillingHistoryPage')),
  },
  {
    path: paths.paymentMethods,
    Screen: lazy(() => import('@/features/payment-methods/PaymentMethodsPage')),
  },
  {
    path: paths.addPaymentMethod,
    Screen: lazy(() => import('@/features/payment-methods/AddPaymentMethodPage')),
  },
  { path: paths.addCard, Screen: CardPage },
  { path: paths.updateCard, Screen: CardPage },
  { path: paths.payPal, Screen: lazy(() => import('@/features/payment-methods/PayPalPage')) },
  {
    path: paths.paymentMethodAdded,
    Screen: lazy(() => import('@/features/payment-methods/SuccessPage')),
  },
];

/** Draws a screen, under the 'Loading' overlay while its file is on the way. */
function Arriving({ Screen }: { Screen: ComponentType }) {
  return (
    <Suspense fallback={<LoaderOverlay />}>
      <Screen />
    </Suspense>
  );
}

/** The route table. What it does not know falls back to the landing page. */
export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route path={paths.landing} element={<Arriving Screen={LandingPage} />} />
        <Route element={<SignedInOnly />}>
          {SIGNED_IN_SCREENS.map(({ path, Screen }) => (
            <Route key={path} path={path} element={<Arriving key={path} Screen={Screen} />} />
          ))}
        </Route>
        <Route path="*" element={<Navigate to={paths.landing} replace />} />
      </Route>
    </Routes>
  );
}
