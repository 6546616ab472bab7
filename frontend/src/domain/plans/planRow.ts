import { servicePictureUrl } from '@/domain/services/servicePictures';
import type { Plan } from '@/lib/api/types';
import { formatCents, formatPeriod, type Terms } from '@/lib/formats';

/** The fields that every row of a plan shows: picture, name, price and period. */
export function planRowFacts(plan: Pick<Plan, 'name' | 'service' | 'amount'> & Terms) {
  return {
    name: plan.name,
    picture: servicePictureUrl(plan.service),
    amount: formatCents(plan.amount, plan.currencyCode),
    per: `per ${formatPeriod(plan)}`,
  };
}
