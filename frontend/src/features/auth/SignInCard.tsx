import { useState } from 'react';
import type { Brand, SendCodeAnswer } from '@/lib/api/types';
import { Card } from '@/ui/layout/Card';
import { LegalLinks } from '@/ui/navigation/LegalLinks';
import { CodeStep } from './CodeStep';
import { createChallenge } from './challenge';
import { EmailStep } from './EmailStep';
import styles from './SignInCard.module.css';
import { useChallenge } from './useChallenge';

/** Sign-in in two steps: the email address, then the code sent to it. */
export function SignInCard({ brand }: { brand: Brand | undefined }) {
  const [email, setEmail] = useState('');
  const { challenge, setChallenge } = useChallenge();
  const handleSent = (address: string, answer: SendCodeAnswer) =>
    setChallenge(createChallenge(address, answer));
  const delayResend = (seconds: number) =>
    challenge && setChallenge({ ...challenge, resendAt: Date.now() + seconds * 1000 });
  const changeAddress = () => {
    setEmail(challenge?.email ?? '');
    setChallenge(null);
  };
  return (
    <Card as="section" labelledBy="sign-in" className={styles.card}>
      <h2 id="sign-in" className={styles.title}>
        {challenge ? 'Check your email' : 'Sign in'}
      </h2>
      {challenge ? (
        <CodeStep
          challenge={challenge}
          onResent={handleSent}
          onDelayed={delayResend}
          onChangeAddress={changeAddress}
        />
      ) : (
        <EmailStep
          initialEmail={email}
          onSent={handleSent}
          onCodeAtHand={(address) => setChallenge({ email: address, resendAt: Date.now() })}
        />
      )}
      {brand && <LegalLinks termsUrl={brand.termsUrl} privacyUrl={brand.privacyUrl} />}
    </Card>
  );
}
