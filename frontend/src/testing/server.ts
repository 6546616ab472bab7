import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

import {
  makeAccount,
  makeCancelScreen,
  makeFreeMonth,
  makePaymentFailure,
  makePayments,
  makeSite,
} from './fixtures';

/** Handlers for the requests of every screen. Tests add their own with `server.use`. */
export const server = setupServer(
  http.get('*/api/site', () => HttpResponse.json(makeSite())),
  http.get('*/api/account', () => HttpResponse.json(makeAccount())),
  http.get('*/api/account/check-payment-failure', () => HttpResponse.json(makePaymentFailure())),
  http.get('*/api/account/claim-my-offer/estimate', () =>
    HttpResponse.json(makeFreeMonth({ eligible: false, reason: 'not_offered' })),
  ),
  http.get('*/api/account/cancel-screen', () => HttpResponse.json(makeCancelScreen())),
  http.get('*/api/account/activity', () => HttpResponse.json([])),
  http.get('*/api/account/others', () => HttpResponse.json([])),
  http.get('*/api/payments/', () => HttpResponse.json(makePayments())),
);

/** An error response in the API's format. */
export function errorResponse(
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
