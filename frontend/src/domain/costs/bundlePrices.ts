import { formatPlanNames, isEnding, isLive, willBill } from '@/domain/plans/plans';
import type { PlanToBe, ServicesChange } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import type { Costs } from './totals';

/** The plans after a change, and the amounts of their next bills. */
type FutureCosts = Costs & Pick<ServicesChange, 'existingPlans'>;

/**
 * A sentence about the price that follows the next bill's price; null if that price stays.
 *
 * A plan that ends after a bill still counts toward that bill's bundle discount, but not toward
 * later ones.
 */
export function laterPriceSentence(costs: FutureCosts): string | null {
  const outlastingPlans = plansOutlastingNextBill(costs.existingPlans);
  if (outlastingPlans.length === 0 || !hasBundleSavings(costs)) return null;
  return `After ${endClause(outlastingPlans)}, ${laterPricePhrase(costs.existingPlans)}`;
}

/** `Gospel TV ends`. */
export function endClause(plans: readonly { name: string }[]): string {
  return `${formatPlanNames(plans)} ${plans.length === 1 ? 'ends' : 'end'}`;
}

/** The plans that end only after the next bill of a renewing plan. */
function plansOutlastingNextBill(plans: readonly PlanToBe[]): PlanToBe[] {
  const bills = plans.filter(willBill).flatMap(({ nextBillingAt }) => nextBillingAt ?? []);
  return plans.filter(
    (plan) => isEnding(plan) && bills.some((billedAt) => (plan.cancelAt ?? '') > billedAt),
  );
}

function hasBundleSavings({ bundleSavings, otherTotal }: Costs): boolean {
  return bundleSavings > 0 || (otherTotal?.bundleSavings ?? 0) > 0;
}

function laterPricePhrase(plans: readonly PlanToBe[]): string {
  const [plan, ...others] = plans.filter((plan) => isLive(plan) && !isEnding(plan));
  if (!plan || others.length > 0) return 'your bundle gets smaller and saves you less.';
  // A scheduled change takes effect with the next bill, so it comes first.
  const { amount, periodUnit } = plan.scheduledPlan ?? plan;
  return `the price is ${formatPrice(amount, periodUnit)}.`;
}
