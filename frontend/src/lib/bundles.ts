import type { PlanToBe, ServicesChange } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
import { isEnding, isLive, namesOf, willBill } from '@/lib/plans';
import type { Costs } from '@/lib/totals';

/** The plans as a change leaves them, and what their next bills come to. */
type Outlook = Costs & Pick<ServicesChange, 'existingPlans'>;

/**
 * What the price of the next bill gives way to, in a sentence; null where that price holds from then on.
 *
 * What ends after a bill still counts in the bundle of that bill, and in none once it has ended.
 */
export function priceAfterEnd(outlook: Outlook): string | null {
  const counted = outlasting(outlook.existingPlans);
  if (counted.length === 0 || !savesAsBundle(outlook)) return null;
  return `Once ${haveEnded(counted)}, ${priceThen(outlook.existingPlans)}`;
}

/** `Gospel TV has ended`. */
export function haveEnded(plans: readonly { name: string }[]): string {
  return `${namesOf(plans)} ${plans.length === 1 ? 'has' : 'have'} ended`;
}

/** The plans that end only after something that goes on has been billed. */
function outlasting(plans: readonly PlanToBe[]): PlanToBe[] {
  const bills = plans.filter(willBill).flatMap(({ nextBillingAt }) => nextBillingAt ?? []);
  return plans.filter(
    (plan) => isEnding(plan) && bills.some((billed) => (plan.cancelAt ?? '') > billed),
  );
}

function savesAsBundle({ bundleSavings, otherTotal }: Costs): boolean {
  return bundleSavings > 0 || (otherTotal?.bundleSavings ?? 0) > 0;
}

function priceThen(plans: readonly PlanToBe[]): string {
  const [only, ...others] = plans.filter((plan) => isLive(plan) && !isEnding(plan));
  if (!only || others.length > 0) return 'your bundle is smaller and saves less.';
  // A change that is scheduled comes with the next bill, which is before that.
  const { amount, periodUnit } = only.scheduledPlan ?? only;
  return `the price is ${formatPrice(amount, periodUnit)}.`;
}
