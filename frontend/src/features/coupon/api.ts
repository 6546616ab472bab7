import type { Redeemed } from '@/lib/api/types';
import { post } from '@/lib/http';

/** Redeems a code, which may hold anything that can be typed. */
export function redeem({ code }: { code: string }, idempotencyKey: string): Promise<Redeemed> {
  return post<Redeemed>(`/api/account/add-coupon/${encodeURIComponent(code)}`, {
    body: {},
    idempotencyKey,
  });
}
