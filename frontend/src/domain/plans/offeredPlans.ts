import { isLive } from '@/domain/plans/plans';
import type { ManagePlans, OfferedPlan, SoldPeriodUnit } from '@/lib/api/types';
import type { PlanOrder } from './planAddresses';

type Offer = Pick<ManagePlans, 'existingPlans' | 'plans'>;

/**
 * Whether an account chooses between month and year for what it starts. With a live plan, additions
 * are billed as that is.
 */
export function canChoosePeriod({ existingPlans, plans }: Offer): boolean {
  const isFirst = !existingPlans.some((plan) => isLive(plan) && plan.isChangeable);
  return isFirst && plans.some(({ otherPeriodAmount }) => otherPeriodAmount !== null);
}

/** The offered plans that are sold for a billing period, with its price; null is the account's period. */
export function offersForPeriod(
  offered: readonly OfferedPlan[],
  periodUnit: SoldPeriodUnit | null,
): OfferedPlan[] {
  return offered.flatMap((plan) => {
    if (periodUnit === null || plan.periodUnit === periodUnit) return [plan];
    if (plan.otherPeriodAmount === null) return [];
    const billingPeriod = periodUnit === 'year' ? 'YEAR' : 'MONTH';
    const prices = { amount: plan.otherPeriodAmount, otherPeriodAmount: plan.amount };
    return [{ ...plan, ...prices, periodUnit, billingPeriod }];
  });
}

/** The offered plans that an order names, at its prices. */
export function offersInOrder(offer: Offer, { planIds, periodUnit }: PlanOrder): OfferedPlan[] {
  const offered = offersForPeriod(offer.plans, canChoosePeriod(offer) ? periodUnit : null);
  return offered.filter(({ id }) => planIds.includes(id));
}

/** The largest saving of a year over twelve months, in cents; 0 if there is none. */
export function largestYearlySaving(offered: readonly OfferedPlan[]): number {
  const yearly = offersForPeriod(offered, 'year');
  return Math.max(0, ...yearly.map((plan) => 12 * (plan.otherPeriodAmount ?? 0) - plan.amount));
}
