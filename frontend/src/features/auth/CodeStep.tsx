import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { SendCodeAnswer } from '@/lib/api/types';
import { showSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { sendCode } from './api';
import type { Challenge } from './challenge';
import { signInMessage } from './messages';
import styles from './SignInCard.module.css';
import { useSecondsUntil } from './useSecondsUntil';
import { useSignIn } from './useSignIn';

const CODE_LENGTH = 6;

interface CodeStepProps {
  challenge: Challenge;
  onResent: (email: string, answer: SendCodeAnswer) => void;
  onChangeAddress: () => void;
}

/** The second step of sign-in: enter the code from the email. */
export function CodeStep({ challenge, onResent, onChangeAddress }: CodeStepProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const showError = (message: string) => {
    setError(message);
    input.current?.select();
  };
  const signInMutation = useSignIn((error) => showError(signInMessage(error, 'otp')));
  const handleResent: CodeStepProps['onResent'] = (email, answer) => {
    setCode('');
    setError(null);
    input.current?.focus();
    onResent(email, answer);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (signInMutation.isPending) return;
    const problem = findCodeProblem(code, challenge);
    if (problem) showError(problem);
    else
      signInMutation.mutate({
        email: challenge.email,
        otp: code,
        challengeId: challenge.challengeId,
      });
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p>
        If <strong>{challenge.email}</strong> has an account with us, a six-digit code is on its
        way.
      </p>
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
        onChange={(event) => {
          setCode(keepDigits(event.target.value));
          setError(null);
        }}
      />
      <Button type="submit" block busy={signInMutation.isPending}>
        Sign in
      </Button>
      <div className={styles.others}>
        <ResendCode challenge={challenge} onResent={handleResent} onRefused={showError} />
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

function findCodeProblem(code: string, { expiresAt }: Challenge): string | null {
  if (code.length < CODE_LENGTH) return 'Enter the six-digit code.';
  if (Date.now() >= expiresAt) return 'This code has expired. Request a new one.';
  return null;
}

/** 30 → `0:30`. */
function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

interface ResendProps {
  challenge: Challenge;
  onResent: CodeStepProps['onResent'];
  onRefused: (message: string) => void;
}

/** Sends another code once the waiting time has passed. */
function ResendCode({ challenge, onResent, onRefused }: ResendProps) {
  const { email, challengeId, resendAt } = challenge;
  const seconds = useSecondsUntil(resendAt);
  const sendMutation = useMutation({
    mutationFn: () => sendCode({ email, challengeId }),
    onSuccess: (answer) => {
      onResent(email, answer);
      showSnackbar('A new code is on its way.');
    },
    onError: (error) => onRefused(signInMessage(error, 'email')),
  });
  if (seconds > 0) {
    return <p className={styles.wait}>Resend code in {formatCountdown(seconds)}</p>;
  }
  return (
    <Button variant="link" busy={sendMutation.isPending} onClick={() => sendMutation.mutate()}>
      Resend code
    </Button>
  );
}
