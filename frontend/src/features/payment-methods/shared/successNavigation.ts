import type { NavigateFunction } from 'react-router-dom';

import { type PlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';
import type { PaymentsChange } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import type { ChangeRequest } from './api';

/** The charge's result, passed in the navigation state. */
export interface ChargeResult {
  collected: number;
  wasTried: boolean;
}

/** Navigates to the screen about the added or updated payment method, which keeps the plans to add. */
export function navigateToSuccess(
  navigate: NavigateFunction,
  order: PlanOrder,
  { paymentSourceId, collected }: PaymentsChange,
  { operationType, token }: ChangeRequest,
): void {
  const query = new URLSearchParams({ operationType, paymentSourceId: paymentSourceId ?? '' });
  const state: ChargeResult = { collected, wasTried: token !== undefined };
  const address = withPlanOrder(`${paths.paymentMethodAdded}?${query}`, order);
  void navigate(address, { replace: true, state });
}

/**
 * Reads the charge's result from the navigation state, which is untrusted. Returns null without one:
 * an address that was typed by hand has saved nothing.
 */
export function readChargeResult(state: unknown): ChargeResult | null {
  const { collected, wasTried } = (state ?? {}) as Partial<ChargeResult>;
  if (typeof collected !== 'number') return null;
  return { collected, wasTried: wasTried === true };
}
