import type { NavigateFunction } from 'react-router-dom';

import type { PaymentsChange } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import type { Order } from './api';

/** What travels to the screen that tells how it went; after a reload it may be gone. */
export interface Told {
  collected: number;
  wasTried: boolean;
}

/** Goes to the screen about what was added or updated. */
export function tellSuccess(
  navigate: NavigateFunction,
  { paymentSourceId, collected }: PaymentsChange,
  { operationType, token }: Order,
): void {
  const query = new URLSearchParams({ operationType, paymentSourceId: paymentSourceId ?? '' });
  const state: Told = { collected, wasTried: token !== undefined };
  void navigate(`${paths.paymentMethodAdded}?${query}`, { replace: true, state });
}

/** What a navigation's state brings along; it may be anything. */
export function toldIn(state: unknown): Told {
  const { collected, wasTried } = (state ?? {}) as Partial<Told>;
  return {
    collected: typeof collected === 'number' ? collected : 0,
    wasTried: wasTried === true,
  };
}
