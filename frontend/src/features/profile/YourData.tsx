import { Button } from '@/ui/buttons/Button';
import { DownloadIcon } from '@/ui/icons/DownloadIcon';
import { Card } from '@/ui/layout/Card';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './Sessions.module.css';
import { useDataExport } from './useDataExport';

/** The download of the subscriber's data. */
export function YourData() {
  const { download, isPreparing, message } = useDataExport();
  return (
    <Card as="section" labelledBy="your-data" className={styles.card}>
      <h2 id="your-data">Your data</h2>
      <p className={styles.muted}>
        Download everything we have about you in one file: profile, email preferences, plans,
        invoices, payment methods (masked), sign-ins, and account activity.
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
