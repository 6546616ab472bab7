import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { SendCodeAnswer } from '@/lib/api/types';
import { Button } from '@/ui/buttons/Button';
import { TextField } from '@/ui/forms/Field';
import { sendCode } from './api';
import { sendMessage } from './messages';
import styles from './SignInCard.module.css';

interface EmailStepProps {
  initialEmail: string;
  onSent: (email: string, answer: SendCodeAnswer) => void;
  /** Called with the address of a visitor who has a code already. */
  onCodeAtHand: (email: string) => void;
}

/**
 * Focuses the field if nothing else has the focus. Not on a touch screen, where the keyboard would
 * cover the page.
 */
function useFocusIfFree(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const isFree = document.activeElement === document.body;
    if (isFree && window.matchMedia('(pointer: fine)').matches) {
      field.current?.focus({ preventScroll: true });
    }
  }, [field]);
}

/** The first step of sign-in: enter the email address to get a code. */
export function EmailStep({ initialEmail, onSent, onCodeAtHand }: EmailStepProps) {
  const [email, setEmail] = useState(initialEmail);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useFocusIfFree(input);

  const showError = (message: string) => {
    setError(message);
    input.current?.focus();
  };
  const sendMutation = useMutation({ mutationFn: sendCode });
  // Given to the call, not to the hook, so that neither runs after the visitor has moved on.
  const send = (address: string) =>
    sendMutation.mutate(
      { email: address },
      {
        onSuccess: (answer) => onSent(address, answer),
        onError: (failure) => showError(sendMessage(failure)),
      },
    );
  const withAddress = (proceed: (address: string) => void) => {
    const address = email.trim();
    if (sendMutation.isPending) return;
    if (address === '') showError('Please enter your email address.');
    else proceed(address);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    withAddress(send);
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        ref={input}
        label="Email address"
        hint="We’ll email you a six-digit code. No password needed."
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
      <Button type="submit" block busy={sendMutation.isPending}>
        Send code
      </Button>
      <div className={styles.others}>
        <Button variant="link" onClick={() => withAddress(onCodeAtHand)}>
          I have a code already
        </Button>
      </div>
    </form>
  );
}
