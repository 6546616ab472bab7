import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canBeCancelled, canBePaused, canChangePeriod, canUseCode } from './plans';

interface ChangeLink {
  change: 'upgrade' | 'downgrade' | 'coupon' | 'pause' | 'cancel';
  to: string;
  label: string;
}

const LINKS: readonly (ChangeLink & { isPossible: (plan: Plan) => boolean })[] = [
  {
    change: 'upgrade',
    to: paths.upgrade,
    label: 'Upgrade to annual billing',
    isPossible: (plan) => canChangePeriod(plan, 'upgrade'),
  },
  {
    change: 'downgrade',
    to: paths.downgrade,
    label: 'Downgrade to monthly billing',
    isPossible: (plan) => canChangePeriod(plan, 'downgrade'),
  },
  { change: 'coupon', to: paths.coupon, label: 'Redeem your code', isPossible: canUseCode },
  { change: 'pause', to: paths.pauseOffer, label: 'Pause', isPossible: canBePaused },
  {
    change: 'cancel',
    to: paths.cancelAll,
    label: 'Cancel Subscriptions',
    isPossible: canBeCancelled,
  },
];

/** The links to what can be changed for all subscriptions, each only if one of them can. */
export function changeLinks(plans: readonly Plan[]): readonly ChangeLink[] {
  return LINKS.filter(({ isPossible }) => plans.some(isPossible));
}
