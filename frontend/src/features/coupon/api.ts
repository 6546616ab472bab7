import { postJson } from '@/lib/api/http';
import type { RedeemAnswer } from '@/lib/api/types';

/** Redeems a code, which may contain any character. */
export function redeemCode(
  { code }: { code: string },
  idempotencyKey: string,
): Promise<RedeemAnswer> {
  return postJson<RedeemAnswer>(`/api/account/add-coupon/${encodeURIComponent(code)}`, {
    body: {},
    idempotencyKey,
  });
}
