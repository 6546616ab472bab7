import { Button, ButtonAnchor } from '@/ui/buttons/Button';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { PageHeading } from '@/ui/layout/PageHeading';
import styles from './ErrorPage.module.css';

/**
 * The page shown after a render error. Its links reload the page, because the app's state cannot be
 * trusted.
 */
export function ErrorPage() {
  return (
    <main>
      <div role="alert" className={styles.page}>
        <span className={styles.alarm}>
          <AlertIcon />
        </span>
        <PageHeading>Unexpected Application Error!</PageHeading>
        <p>Something on this page broke. This doesn’t affect your subscriptions.</p>
        <div className={styles.actions}>
          <Button onClick={() => window.location.reload()}>Reload this page</Button>
          <ButtonAnchor variant="secondary" href="/">
            Go to the start page
          </ButtonAnchor>
        </div>
      </div>
    </main>
  );
}
