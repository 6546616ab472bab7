import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import styles from './Sessions.module.css';
import { useExport } from './useExport';

/** Everything the portal holds, to take along. */
export function YourData() {
  const { download, isPreparing, message } = useExport();
  return (
    <Card as="section" labelledBy="your-data" className={styles.card}>
      <h2 id="your-data">Your data</h2>
      <p className={styles.muted}>
        One file with everything we hold about you: your profile and email preferences, your plans,
        invoices and payment methods (masked), where you signed in, and what was done to your
        account.
      </p>
      <Button variant="secondary" busy={isPreparing} icon={<DownloadIcon />} onClick={download}>
        Download your data
      </Button>
      <VisuallyHidden>
        <span role="status">{message}</span>
      </VisuallyHidden>
    </Card>
  );
}
