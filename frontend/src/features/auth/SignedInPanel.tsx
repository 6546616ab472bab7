import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import styles from './SignInCard.module.css';

/** Shown instead of the form to a visitor who is already signed in. */
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
