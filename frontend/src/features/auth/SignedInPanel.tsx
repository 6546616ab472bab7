import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import styles from './SignInCard.module.css';

/** For one who is signed in already: the way on. */
export function SignedInPanel() {
  return (
    <Card as="section" labelledBy="signed-in" className={styles.card}>
      <h2 id="signed-in" className={styles.title}>
        You’re signed in
      </h2>
      <ButtonLink to={paths.dashboard} block>
        Go to your account
      </ButtonLink>
    </Card>
  );
}
