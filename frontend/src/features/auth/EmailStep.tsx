import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { SendCodeAnswer } from '@/lib/api/types';
import { Button } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { sendCode } from './api';
import { signInMessage } from './messages';
import styles from './SignInCard.module.css';

interface EmailStepProps {
  initialEmail: string;
  onSent: (email: string, answer: SendCodeAnswer) => void;
}

/** Asks for the address and has a code sent to it. */
export function EmailStep({ initialEmail, onSent }: EmailStepProps) {
  const [email, setEmail] = useState(initialEmail);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);

  const refuse = (message: string) => {
    setError(message);
    input.current?.focus();
  };
  const sending = useMutation({
    mutationFn: sendCode,
    onSuccess: (answer, asked) => onSent(asked.email, answer),
    onError: (failure) => refuse(signInMessage(failure, 'email')),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const address = email.trim();
    if (sending.isPending) return;
    if (address === '') refuse('Please enter your email address.');
    else sending.mutate({ email: address });
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        ref={input}
        label="Email address"
        hint="We’ll send you a six-digit code. There is no password to remember."
        error={error}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          setError(null);
        }}
      />
      <Button type="submit" block busy={sending.isPending}>
        Send code
      </Button>
    </form>
  );
}
