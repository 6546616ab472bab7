import type { Plan } from '@/lib/api/types';
import { serviceArt } from '@/lib/artwork';
import { formatCents } from '@/lib/formats';

/** What every row of a plan tells: its picture, its name, and what it costs in which time. */
export function planFacts(plan: Pick<Plan, 'name' | 'service' | 'amount' | 'periodUnit'>) {
  return {
    name: plan.name,
    picture: serviceArt(plan.service),
    amount: formatCents(plan.amount),
    per: `per ${plan.periodUnit}`,
  };
}
