import { useState } from 'react';
import type { Brand, SendCodeAnswer } from '@/lib/api/types';
import { Card } from '@/ui/Card';
import { LegalLinks } from '@/ui/LegalLinks';
import { CodeStep } from './CodeStep';
import { type Challenge, challengeOf } from './challenge';
import { EmailStep } from './EmailStep';
import styles from './SignInCard.module.css';

/** Sign-in in two steps: an address, then the code that was mailed to it. */
export function SignInCard({ brand }: { brand: Brand | undefined }) {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const sent = (address: string, answer: SendCodeAnswer) => {
    setEmail(address);
    setChallenge(challengeOf(address, answer));
  };
  return (
    <Card as="section" labelledBy="sign-in" className={styles.card}>
      <h2 id="sign-in" className={styles.title}>
        {challenge ? 'Check your email' : 'Sign in'}
      </h2>
      {challenge ? (
        <CodeStep
          challenge={challenge}
          onResent={sent}
          onChangeAddress={() => setChallenge(null)}
        />
      ) : (
        <EmailStep initialEmail={email} onSent={sent} />
      )}
      {brand && <LegalLinks termsUrl={brand.termsUrl} privacyUrl={brand.privacyUrl} />}
    </Card>
  );
}
