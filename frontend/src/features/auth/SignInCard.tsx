import { useState } from 'react';
import type { Brand, SendCodeAnswer } from '@/lib/api/types';
import { Card } from '@/ui/Card';
import { LegalLinks } from '@/ui/LegalLinks';
import { CodeStep } from './CodeStep';
import { type Challenge, createChallenge } from './challenge';
import { EmailStep } from './EmailStep';
import styles from './SignInCard.module.css';

/** Sign-in in two steps: the email address, then the code sent to it. */
export function SignInCard({ brand }: { brand: Brand | undefined }) {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const handleSent = (address: string, answer: SendCodeAnswer) => {
    setEmail(address);
    setChallenge(createChallenge(address, answer));
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
          onChangeAddress={() => setChallenge(null)}
        />
      ) : (
        <EmailStep initialEmail={email} onSent={handleSent} />
      )}
      {brand && <LegalLinks termsUrl={brand.termsUrl} privacyUrl={brand.privacyUrl} />}
    </Card>
  );
}
