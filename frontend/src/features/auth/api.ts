import { postJson } from '@/lib/api/http';
import type { SendCodeAnswer, SignInAnswer } from '@/lib/api/types';

/**
 * Requests a code by email. The response is the same whether or not the address is known. Passing
 * the id of an earlier challenge replaces its code.
 */
export function sendCode(request: {
  email: string;
  challengeId?: string | undefined;
}): Promise<SendCodeAnswer> {
  return postJson<SendCodeAnswer>('/api/auth/send-otp', { body: request });
}

/**
 * Exchanges address and code for a token. Without a challenge, the code is that of the newest one.
 * Throws `invalid_otp` for a wrong or used code.
 */
export function verifyCode(request: {
  email: string;
  otp: string;
  challengeId?: string | undefined;
}): Promise<SignInAnswer> {
  return postJson<SignInAnswer>('/api/auth/verify-otp', { body: request });
}
