import type { SendCodeAnswer } from '@/lib/api/types';

/** A code that was sent to an address. */
export interface Challenge {
  email: string;
  challengeId: string;
  /** Timestamps in milliseconds. */
  expiresAt: number;
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
