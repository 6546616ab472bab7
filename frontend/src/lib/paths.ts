/** Every address of the app whose screen is built. */
export const paths = {
  landing: '/',
  dashboard: '/dashboard',
  manageSubscription: '/manage-subscription',
  upgrade: '/manage-subscription/upgrade',
  downgrade: '/manage-subscription/downgrade',
  summary: '/summary',
  coupon: '/coupon',
  pauseOffer: '/pause-offer',
  pauseSummary: '/pause-summary',
  billingHistory: '/billingHistory',
} as const;
