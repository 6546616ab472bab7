import { paths } from '@/lib/paths';

/** A read with which screens begin. */
export type FirstRead =
  | '/api/account'
  | '/api/account/cancel-screen'
  | '/api/account/check-payment-failure'
  | '/api/account/manage-plans'
  | '/api/invoice/list'
  | '/api/payments/';

const PLANS = '/api/account/manage-plans';
const PAYMENTS = '/api/payments/';

const FIRST_READS: Partial<Record<string, readonly FirstRead[]>> = {
  [paths.dashboard]: ['/api/account', PLANS],
  [paths.manageSubscription]: [PLANS, PAYMENTS],
  [paths.upgrade]: [PLANS],
  [paths.downgrade]: [PLANS],
  [paths.summary]: [PLANS],
  [paths.pauseOffer]: [PLANS],
  [paths.pauseSummary]: [PLANS],
  [paths.cancelAll]: [PLANS, '/api/account/cancel-screen'],
  [paths.billingHistory]: ['/api/invoice/list'],
  [paths.paymentMethods]: [PAYMENTS],
  [paths.addPaymentMethod]: [PAYMENTS],
  [paths.addCard]: [PAYMENTS],
  [paths.updateCard]: [PAYMENTS],
  [paths.payPal]: [PAYMENTS],
  [paths.paymentMethodAdded]: [PAYMENTS],
};

/** What the screen of a path, if there is one, and the frame around it read first. */
export function listFirstReads(path = ''): readonly FirstRead[] {
  return [...(FIRST_READS[path] ?? []), '/api/account/check-payment-failure'];
}

interface StartedRead {
  token: string;
  response: Promise<Response>;
}

const startedReads = new Map<string, StartedRead>();

/** Headers of a request for JSON; `token` is null before sign-in. */
export function buildJsonHeaders(token: string | null): Headers {
  const headers = new Headers({ Accept: 'application/json' });
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  return headers;
}

/**
 * Requests what the screen of a path reads first, while the app is on its way. The app takes the
 * responses by `takeStartedRead`.
 */
export function startFirstReads(path: string, token: string): void {
  for (const read of listFirstReads(path)) {
    const response = fetch(read, { headers: buildJsonHeaders(token), credentials: 'same-origin' });
    // The app handles a failure when it takes the response. If it never does, nobody is told.
    response.catch(() => undefined);
    startedReads.set(read, { token, response });
  }
}

/** The response to a read that the page has started with this token, once; otherwise undefined. */
export function takeStartedRead(path: string, token: string | null): Promise<Response> | undefined {
  const started = startedReads.get(path);
  startedReads.delete(path);
  return started?.token === token ? started.response : undefined;
}

/** Forgets the reads that the first screen has not taken: for a later one they would be too old. */
export function forgetStartedReads(): void {
  startedReads.clear();
}
