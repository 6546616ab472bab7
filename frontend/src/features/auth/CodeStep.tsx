import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { SendCodeAnswer } from '@/lib/api/types';
import { notify } from '@/stores/snackbar';
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

/** Asks for the code that was mailed, and signs in with it. */
export function CodeStep({ challenge, onResent, onChangeAddress }: CodeStepProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const refuse = (message: string) => {
    setError(message);
    input.current?.select();
  };
  const signIn = useSignIn((failure) => refuse(signInMessage(failure, 'otp')));
  const startOver: CodeStepProps['onResent'] = (email, answer) => {
    setCode('');
    setError(null);
    input.current?.focus();
    onResent(email, answer);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (signIn.isPending) return;
    const problem = problemWith(code, challenge);
    if (problem) refuse(problem);
    else signIn.mutate({ email: challenge.email, otp: code, challengeId: challenge.challengeId });
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
        hint="It can take a minute to arrive. Look in the spam folder too."
        error={error}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        className={styles.code}
        required
        value={code}
        onChange={(event) => {
          setCode(digitsOf(event.target.value));
          setError(null);
        }}
      />
      <Button type="submit" block busy={signIn.isPending}>
        Sign in
      </Button>
      <div className={styles.others}>
        <Resend challenge={challenge} onResent={startOver} onRefused={refuse} />
        <Button variant="link" onClick={onChangeAddress}>
          Use a different email address
        </Button>
      </div>
    </form>
  );
}

/** A pasted `123 456` is a code too. */
function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '').slice(0, CODE_LENGTH);
}

function problemWith(code: string, { expiresAt }: Challenge): string | null {
  if (code.length < CODE_LENGTH) return 'Please enter all six digits of the code.';
  if (Date.now() >= expiresAt) return 'This code has expired. Please ask for a new one.';
  return null;
}

interface ResendProps {
  challenge: Challenge;
  onResent: CodeStepProps['onResent'];
  onRefused: (message: string) => void;
}

/** Sends another code, once the time between two has passed. */
function Resend({ challenge, onResent, onRefused }: ResendProps) {
  const { email, challengeId, resendAt } = challenge;
  const seconds = useSecondsUntil(resendAt);
  const sending = useMutation({
    mutationFn: () => sendCode({ email, challengeId }),
    onSuccess: (answer) => {
      onResent(email, answer);
      notify('A new code is on its way.');
    },
    onError: (failure) => onRefused(signInMessage(failure, 'email')),
  });
  if (seconds > 0) {
    return <p className={styles.wait}>You can ask for a new code in {seconds} s</p>;
  }
  return (
    <Button variant="link" busy={sending.isPending} onClick={() => sending.mutate()}>
      Send a new code
    </Button>
  );
}
