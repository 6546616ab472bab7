import { useLocation, useSearchParams } from 'react-router-dom';
import type { ManagePlans, SoldPeriodUnit } from '@/lib/api/types';
import { canChoosePeriod } from './offeredPlans';
import { readPeriod, withPeriod } from './planAddresses';

/**
 * The billing period of what an account starts, kept in the URL, and a setter; null if the account's
 * plans set it.
 */
export function useChosenPeriod(
  offer: Pick<ManagePlans, 'existingPlans' | 'plans'>,
): [SoldPeriodUnit | null, (periodUnit: SoldPeriodUnit) => void] {
  const [query, setQuery] = useSearchParams();
  // A receipt on the screen stays.
  const { state } = useLocation();
  const choose = (periodUnit: SoldPeriodUnit) =>
    setQuery(withPeriod(query, periodUnit), { replace: true, state });
  if (!canChoosePeriod(offer)) return [null, choose];
  const ownPeriod = offer.plans[0]?.periodUnit === 'year' ? 'year' : 'month';
  return [readPeriod(query) ?? ownPeriod, choose];
}
