/** Every address of the app whose screen is built. */
export const paths = {
  landing: '/',
  dashboard: '/dashboard',
  manageSubscription: '/manage-subscription',
  pauseOffer: '/pause-offer',
  pauseSummary: '/pause-summary',
  billingHistory: '/billingHistory',
} as const;
