import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

import { aFreeMonth, anAccount, aSite, somePayments } from '@/testing/data';

/** Answers for what every screen asks; a test adds its own with `server.use`. */
export const server = setupServer(
  http.get('*/api/site', () => HttpResponse.json(aSite())),
  http.get('*/api/account', () => HttpResponse.json(anAccount())),
  http.get('*/api/account/check-payment-failure', () =>
    HttpResponse.json({ hasPaymentFailure: false }),
  ),
  http.get('*/api/account/claim-my-offer/estimate', () =>
    HttpResponse.json(aFreeMonth({ eligible: false, reason: 'not_offered' })),
  ),
  http.get('*/api/account/activity', () => HttpResponse.json([])),
  http.get('*/api/payments/', () => HttpResponse.json(somePayments())),
);

/** An error answer in the API's shape. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: { fields?: Record<string, string[]>; retryAfter?: number; extra?: object } = {},
) {
  const body = { code, message, fields: more.fields ?? null, requestId: 'req-1', ...more.extra };
  const headers: Record<string, string> =
    more.retryAfter === undefined ? {} : { 'Retry-After': String(more.retryAfter) };
  return HttpResponse.json(body, { status, headers });
}
