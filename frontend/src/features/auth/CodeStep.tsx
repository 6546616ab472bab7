import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from '@/lib/api/errors';
import type { SendCodeAnswer } from '@/lib/api/types';
import { showSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/buttons/Button';
import { TextField } from '@/ui/forms/Field';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import { sendCode } from './api';
import { type Challenge, isExpired } from './challenge';
import { sendMessage, signInMessage } from './messages';
import styles from './SignInCard.module.css';
import { useSecondsUntil } from './useSecondsUntil';
import { useSignIn } from './useSignIn';

const CODE_LENGTH = 6;

interface CodeStepProps {
  challenge: Challenge;
  onResent: (email: string, answer: SendCodeAnswer) => void;
  /** Called with the seconds until another code can be sent. */
  onDelayed: (seconds: number) => void;
  onChangeAddress: () => void;
}

/** The second step of sign-in: enter the code from the email. */
export function CodeStep({ challenge, onResent, onDelayed, onChangeAddress }: CodeStepProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);

  const showError = (message: string) => {
    setError(message);
    input.current?.focus();
    input.current?.select();
  };
  const { signIn, isPending } = useSignIn((error) => showError(signInMessage(error, 'otp')));
  const handleResent: CodeStepProps['onResent'] = (email, answer) => {
    setCode('');
    setError(null);
    input.current?.focus();
    onResent(email, answer);
  };
  const handleDelayed = (seconds: number) => {
    // The button that was pressed gives way to the countdown.
    input.current?.focus();
    onDelayed(seconds);
  };
  const { email, challengeId } = challenge;
  const verify = (otp: string) => {
    if (isPending) return;
    const problem = findCodeProblem(otp, challenge);
    if (problem) showError(problem);
    else signIn({ email, otp, challengeId });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify(code);
  };
  const enter = (text: string) => {
    const digits = keepDigits(text);
    setCode(digits);
    setError(null);
    // Nothing else is left to do: a complete code is sent by itself.
    if (digits.length === CODE_LENGTH && digits !== code) verify(digits);
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {challengeId ? (
        <p>
          If <strong>{email}</strong> has an account with us, a six-digit code is on its way.
        </p>
      ) : (
        <p>
          Enter the code that we emailed to <strong>{email}</strong>.
        </p>
      )}
      <TextField
        ref={input}
        label="Six-digit code"
        hint="It can take a minute. Check your spam folder too."
        error={error}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        className={styles.code}
        required
        value={code}
        onChange={(event) => enter(event.target.value)}
      />
      <Button type="submit" block busy={isPending}>
        Sign in
      </Button>
      <VisuallyHidden>
        <span role="status">{isPending && 'Checking your code…'}</span>
      </VisuallyHidden>
      <div className={styles.others}>
        <ResendCode
          challenge={challenge}
          onResent={handleResent}
          onDelayed={handleDelayed}
          onRefused={showError}
        />
        <Button variant="link" onClick={onChangeAddress}>
          Use a different email address
        </Button>
      </div>
    </form>
  );
}

/** Accepts a pasted `123 456`. */
function keepDigits(text: string): string {
  return text.replaceAll(/\D/g, '').slice(0, CODE_LENGTH);
}

function findCodeProblem(code: string, challenge: Challenge): string | null {
  if (code.length < CODE_LENGTH) return 'Enter the six-digit code.';
  if (isExpired(challenge)) return 'This code has expired. Request a new one.';
  return null;
}

/** 30 → `0:30`. */
function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

interface ResendProps {
  challenge: Challenge;
  onResent: CodeStepProps['onResent'];
  onDelayed: CodeStepProps['onDelayed'];
  onRefused: (message: string) => void;
}

/** Sends another code once the waiting time has passed. */
function ResendCode({ challenge, onResent, onDelayed, onRefused }: ResendProps) {
  const { email, challengeId, resendAt } = challenge;
  const seconds = useSecondsUntil(resendAt);
  const sendMutation = useMutation({ mutationFn: () => sendCode({ email, challengeId }) });
  // Given to the call, not to the hook, so that neither runs after the visitor has moved on.
  const resend = () =>
    sendMutation.mutate(undefined, {
      onSuccess: (answer) => {
        onResent(email, answer);
        showSnackbar('A new code is on its way.');
      },
      onError: (error) => {
        const wait = error instanceof ApiError && error.retryAfter;
        if (wait) onDelayed(wait);
        else onRefused(sendMessage(error));
      },
    });
  if (seconds > 0) {
    return <p className={styles.wait}>Resend code in {formatCountdown(seconds)}</p>;
  }
  return (
    <Button variant="link" busy={sendMutation.isPending} onClick={resend}>
      Resend code
    </Button>
  );
}
