import type { SendCodeAnswer } from '@/lib/api/types';

/** A code that an address has been sent. */
export interface Challenge {
  email: string;
  /** Omitted for a code that was requested elsewhere: the server then looks for the newest. */
  challengeId?: string;
  /** Timestamps in milliseconds. The end of a code that was requested elsewhere is unknown. */
  expiresAt?: number;
  resendAt: number;
}

/**
 * Creates a challenge from a response. The server sends durations, which are counted from the
 * browser's clock.
 */
export function createChallenge(email: string, answer: SendCodeAnswer): Challenge {
  const now = Date.now();
  return {
    email,
    challengeId: answer.challengeId,
    expiresAt: now + answer.expiresIn * 1000,
    resendAt: now + answer.resendIn * 1000,
  };
}

/** Whether a code can no longer be valid. */
export function isExpired({ expiresAt }: Challenge): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}
