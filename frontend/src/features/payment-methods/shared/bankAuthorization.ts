import { ApiError } from '@/lib/api/errors';
import { failureMessage, providerErrorMessage } from './messages';

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

const NOTHING_DONE = 'Nothing was added or charged.';

/**
 * The messages, by what the script's error calls the failure. Each gateway has names of its own, so
 * parts of them are recognized.
 */
const MESSAGES: readonly [RegExp, AuthorizationFailure][] = [
  [
    /time.?out|tooslow/i,
    {
      message: `Your bank’s confirmation took too long. ${NOTHING_DONE} Please try again.`,
      tone: 'info',
    },
  ],
  [
    /cancel|abandon/i,
    {
      message: `You left your bank’s confirmation before finishing. ${NOTHING_DONE}`,
      tone: 'info',
    },
  ],
  [
    /authenticat|challenge|3ds|three.?d/i,
    {
      message: `Your bank couldn’t confirm that it’s you. ${NOTHING_DONE} Try again, or use another card.`,
      tone: 'error',
    },
  ],
];

const DECLINED: AuthorizationFailure = {
  message: `Your bank declined this card. ${NOTHING_DONE} Check the details, or use another card.`,
  tone: 'error',
};

/** Describes why an authorization failed: an error of the API, or of the provider's script. */
export function describeAuthorizationFailure(error: unknown): AuthorizationFailure {
  if (error instanceof ApiError) return { message: failureMessage(error), tone: 'error' };
  const { name = '', code = '', type } = (error ?? {}) as Record<string, unknown>;
  const failure = MESSAGES.find(([names]) => names.test(`${name} ${code}`))?.[1];
  // The provider's API authenticates the site, not the payer.
  if (failure && type !== 'ApiError') return failure;
  if (type === 'GatewayError') return DECLINED;
  return { message: providerErrorMessage(error), tone: 'error' };
}
