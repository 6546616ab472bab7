import type { SendCodeAnswer } from '@/lib/api/types';

/** A code on its way to an address. */
export interface Challenge {
  email: string;
  challengeId: string;
  /** Instants in milliseconds. */
  expiresAt: number;
  resendAt: number;
}

/** The code that an answer says was sent; the server tells spans, and the browser's clock ends them. */
export function challengeOf(email: string, answer: SendCodeAnswer): Challenge {
  const now = Date.now();
  return {
    email,
    challengeId: answer.challengeId,
    expiresAt: now + answer.expiresIn * 1000,
    resendAt: now + answer.resendIn * 1000,
  };
}
