import type { SendCodeAnswer, SignInAnswer } from '@/lib/api/types';
import { post } from '@/lib/http';

/** Asks for a code by mail; the answer is the same whether or not the address is known. */
export function sendCode(email: string): Promise<SendCodeAnswer> {
  return post<SendCodeAnswer>('/api/auth/send-otp', { body: { email } });
}

/** Changes address and code into a token. Throws `invalid_otp` for a wrong or spent code. */
export function verifyCode(answer: {
  email: string;
  otp: string;
  challengeId: string;
}): Promise<SignInAnswer> {
  return post<SignInAnswer>('/api/auth/verify-otp', { body: answer });
}
