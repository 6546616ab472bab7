import { ApiError, changeFailureMessage } from '@/lib/api/errors';
import { providerErrorMessage } from './messages';

/**
 * How long the payer may take, with the bank's questions. The script itself gives up after five
 * minutes; this is for a script that never answers.
 */
export const AUTHORIZATION_TIMEOUT_MS = 5.5 * 60 * 1000;

export const CHECKING_WITH_BANK = 'Checking with your bank. It may ask you to confirm it’s you.';

/** Why an authorization ended without an authorized intent. */
export interface AuthorizationFailure {
  message: string;
  tone: 'info' | 'error';
}

/** What the bank was asked about: a card to save, or a payment with a stored one. */
type Subject = 'new card' | 'payment';

interface Outcome {
  what: string;
  advice?: string;
  tone: AuthorizationFailure['tone'];
}

/**
 * The outcomes, by what the script's error calls the failure. Each gateway has names of its own, so
 * parts of them are recognized.
 */
const OUTCOMES: readonly [RegExp, Outcome][] = [
  [
    /time.?out|tooslow/i,
    {
      what: 'Your bank’s confirmation took too long.',
      advice: 'Please try again.',
      tone: 'info',
    },
  ],
  [
    /cancel|abandon/i,
    { what: 'You left your bank’s confirmation before finishing.', tone: 'info' },
  ],
  [
    /authenticat|challenge|3ds|three.?d/i,
    {
      what: 'Your bank couldn’t confirm that it’s you.',
      advice: 'Try again, or use another card.',
      tone: 'error',
    },
  ],
];

const DECLINED: Record<Subject, Outcome> = {
  'new card': {
    what: 'Your bank declined this card.',
    advice: 'Check the details, or use another card.',
    tone: 'error',
  },
  payment: {
    what: 'Your bank declined this payment.',
    advice: 'Try again later, or use another card.',
    tone: 'error',
  },
};

const NOTHING_DONE: Record<Subject, string> = {
  'new card': 'Nothing was added or charged.',
  payment: 'Nothing was charged.',
};

/** Describes why an authorization failed: an error of the API, or of the provider's script. */
export function describeAuthorizationFailure(
  error: unknown,
  subject: Subject,
): AuthorizationFailure {
  if (error instanceof ApiError) return { message: changeFailureMessage(error), tone: 'error' };
  const { name = '', code = '', type } = (error ?? {}) as Record<string, unknown>;
  const outcome = OUTCOMES.find(([names]) => names.test(`${name} ${code}`))?.[1];
  // The provider's API authenticates the site, not the payer.
  if (outcome && type !== 'ApiError') return describeOutcome(outcome, subject);
  if (type === 'GatewayError') return describeOutcome(DECLINED[subject], subject);
  return { message: providerErrorMessage(error), tone: 'error' };
}

function describeOutcome({ what, advice, tone }: Outcome, subject: Subject): AuthorizationFailure {
  return { message: [what, NOTHING_DONE[subject], advice].filter(Boolean).join(' '), tone };
}
