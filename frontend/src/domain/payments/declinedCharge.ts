/** The changes that charge a stored card, and take payment intents that its bank has authorized. */
const CHARGING_PATHS = [
  '/api/account/add-remove-service',
  '/api/account/upgrade',
  '/api/account/resume',
] as const;

/**
 * A confirmed change whose payment was declined: the card's bank may accept it after asking the payer.
 * It is passed in the navigation state, which survives the change of documents.
 */
export interface DeclinedCharge {
  path: (typeof CHARGING_PATHS)[number];
  /** The confirmed request. */
  body: Record<string, unknown>;
  /** Its charges in cents, in the order in which they are made. */
  amounts: readonly number[];
  currencyCode: string;
  /** Says that the change was made. */
  doneMessage: string;
}

/** Reads the declined charge from the navigation state, which is untrusted; null without one. */
export function readDeclinedCharge(state: unknown): DeclinedCharge | null {
  const { declinedCharge } = (state ?? {}) as { declinedCharge?: Partial<DeclinedCharge> };
  const { path, body, amounts, currencyCode, doneMessage } = declinedCharge ?? {};
  const isKnown = CHARGING_PATHS.some((known) => known === path);
  if (!path || !isKnown || typeof body !== 'object' || body === null) return null;
  if (!Array.isArray(amounts) || !amounts.every(isPositive) || amounts.length === 0) return null;
  if (typeof currencyCode !== 'string' || typeof doneMessage !== 'string') return null;
  return { path, body, amounts, currencyCode, doneMessage };
}

function isPositive(amount: unknown): boolean {
  return typeof amount === 'number' && amount > 0;
}
