import { Button, ButtonAnchor } from '@/ui/Button';
import { AlertIcon } from '@/ui/icons/AlertIcon';
import { PageHeading } from '@/ui/PageHeading';
import styles from './ErrorPage.module.css';

/** What is left when drawing failed. Its ways out load the page anew, since the app cannot be trusted. */
export function ErrorPage() {
  return (
    <main>
      <div role="alert" className={styles.page}>
        <span className={styles.alarm}>
          <AlertIcon />
        </span>
        <PageHeading>Unexpected Application Error!</PageHeading>
        <p>Something on this page broke. Nothing about your subscriptions has changed.</p>
        <div className={styles.ways}>
          <Button onClick={() => window.location.reload()}>Reload this page</Button>
          <ButtonAnchor variant="secondary" href="/">
            Go to the start page
          </ButtonAnchor>
        </div>
      </div>
    </main>
  );
}
