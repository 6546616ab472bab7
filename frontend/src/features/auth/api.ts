import type { SendCodeAnswer, SignInAnswer } from '@/lib/api/types';
import { post } from '@/lib/http';

/**
 * Asks for a code by mail; the answer is the same whether or not the address is known. A code asked
 * for earlier is replaced by the new one when its challenge is named.
 */
export function sendCode(asked: { email: string; challengeId?: string }): Promise<SendCodeAnswer> {
  return post<SendCodeAnswer>('/api/auth/send-otp', { body: asked });
}

/** Changes address and code into a token. Throws `invalid_otp` for a wrong or spent code. */
export function verifyCode(answer: {
  email: string;
  otp: string;
  challengeId: string;
}): Promise<SignInAnswer> {
  return post<SignInAnswer>('/api/auth/verify-otp', { body: answer });
}
