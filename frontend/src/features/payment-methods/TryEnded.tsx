import { useEffect, useRef } from 'react';

import { Button } from '@/ui/Button';
import { InfoAlert } from '@/ui/InfoAlert';
import { focusIsLost } from '@/ui/useFocusIfLost';
import styles from './PaymentForm.module.css';

interface TryEndedProps {
  words: string;
  tone: 'info' | 'error';
  onTryAgain: () => void;
}

/** How a try with PayPal ended, and the way to the next. */
export function TryEnded({ words, tone, onTryAgain }: TryEndedProps) {
  const button = useRef<HTMLButtonElement>(null);
  // PayPal's button held it, and has gone.
  useEffect(() => {
    if (focusIsLost()) button.current?.focus();
  }, []);
  return (
    <div className={styles.ways}>
      <InfoAlert tone={tone}>{words}</InfoAlert>
      <Button ref={button} onClick={onTryAgain} block>
        Try again
      </Button>
    </div>
  );
}
